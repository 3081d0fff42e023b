import Bytes
import CKernels
import GraphIR
import Synchronization

/// Weights in the layouts that kernels require, shared by all plans of a model.
final class PreparedWeights: Sendable {
  /// The key of a prepared weight.
  private struct Key: Hashable {
    let value: ValueID
    let shape: [Int]
    let strides: [Int]
    /// The offset, for a part of a weight.
    let offset: Int
    /// The factors along its first axes.
    let scales: [Float]
  }

  private let cache = Mutex<[Key: [(layout: Layout, memory: ConstantMemory)]]>([:])

  /// A weight as integers or as bfloat16.
  private struct QuantizedKey: Hashable {
    let value: ValueID
    let form: QuantizedKernel.Form
  }

  private let kernelCache = Mutex<[QuantizedKey: QuantizedKernel]>([:])

  /// A weight for kernels of integers or bfloat16, prepared once.
  func quantized(
    _ tensor: Tensor, _ value: ValueID, _ form: QuantizedKernel.Form
  ) -> QuantizedKernel {
    let key = QuantizedKey(value: value, form: form)
    if let kernel = kernelCache.withLock({ $0[key] }) { return kernel }
    let kernel = QuantizedKernel(tensor, form)
    tensor.releaseMemory()
    kernelCache.withLock { $0[key] = kernel }
    return kernel
  }

  /// A weight in a layout, converted once.
  ///
  /// - Parameters:
  ///   - tensor: The weight, with the axes of the layout.
  ///   - value: Its number in the graph.
  ///   - scales: A factor for each element along the first axis, or along the first two; none for
  ///     no scaling.
  func memory(
    of tensor: Tensor, _ value: ValueID, as layout: Layout, scales: [Float] = []
  ) -> ConstantMemory? {
    let key = Key(
      value: value, shape: tensor.shape, strides: tensor.strides, offset: tensor.offset,
      scales: scales)
    if let memory = cache.withLock({ $0[key]?.first { $0.layout.isSame(as: layout) }?.memory }) {
      return memory
    }
    guard let memory = Self.prepare(tensor, as: layout, scales: scales) else { return nil }
    cache.withLock { $0[key, default: []].append((layout, memory)) }
    return memory
  }

  private static func prepare(
    _ weight: Tensor, as layout: Layout, scales: [Float]
  ) -> ConstantMemory? {
    var isPrepared = true
    let memory = unsafe ConstantMemory(byteCount: layout.byteCount) { address in
      for range in rowRanges(of: weight, scales, layout) where isPrepared {
        let isWhole = range.count == weight.shape[0]
        let factors = isWhole ? scales : Array(scales[range.clamped(to: scales.indices)])
        let rows = weight.slice(range, along: 0)
        isPrepared =
          (isWhole ? layout : layout.part(range)).map {
            unsafe reorder(rows, to: $0, factors, address)
          } ?? false
        rows.releaseMemory()
      }
    }
    return isPrepared ? memory : nil
  }

  /// Parts of a weight along its first axis, so small that the memory of those that were copied can
  /// be given back before the next is read. With factors along two axes, and for layouts that have
  /// no parts, the whole.
  private static func rowRanges(
    of weight: Tensor, _ scales: [Float], _ layout: Layout
  ) -> [Range<Int>] {
    let count = weight.shape[0]
    guard weight.byteCount > targetRowBytes,
      scales.isEmpty || scales.count == count, !layout.isOpaque
    else {
      return [0..<count]
    }
    // A multiple of the block sizes of 16 and 32 rows.
    let blockRows = 32
    let rows = max(blockRows, targetRowBytes / (weight.byteCount / count) / blockRows * blockRows)
    let ranges = stride(from: 0, to: count, by: rows).map { $0..<min($0 + rows, count) }
    return ranges.allSatisfy { layout.part($0) != nil } ? ranges : [0..<count]
  }

  /// The target size of such a part: 4 MB.
  private static let targetRowBytes = 4 << 20

  private static func reorder(
    _ weight: Tensor, to layout: Layout, _ scales: [Float], _ address: UnsafeMutableRawPointer
  ) -> Bool {
    var tensor =
      weight.elementType == .float32
      ? weight : Tensor(.float32, shape: weight.shape, weight.doubles)
    if tensor.strides.contains(where: { $0 < 1 }) { tensor = tensor.contiguous() }
    let hasGroups = !scales.isEmpty && scales.count != tensor.shape[0]
    guard let source = Layout.strided(tensor.shape, strides: tensor.strides) else { return false }
    guard
      let reorder = Primitive.reorder(
        from: source, to: layout, scales: scales, hasGroups: hasGroups)
    else {
      // Opaque layouts can only be created from row-major order, and without factors.
      guard layout.isOpaque, let rowMajor = Layout.rowMajor(tensor.shape),
        let scaled = prepare(weight, as: rowMajor, scales: scales),
        let transform = Primitive.reorder(from: rowMajor, to: layout)
      else { return false }
      unsafe transform.run(from: scaled.address, to: address)
      return true
    }
    return tensor.store.withBytes { bytes in
      // The reorder reads what the tensor's sizes and strides say, which lies inside.
      unsafe bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return false }
        unsafe reorder.run(from: start + tensor.offset, to: address)
        return true
      }
    }
  }
}

extension Primitive {
  /// Runs a reorder immediately.
  func run(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let arguments = unsafe [
      kernels_argument(
        role: Int32(kernels_role_source.rawValue), number: 0,
        address: UnsafeMutableRawPointer(mutating: source)),
      kernels_argument(
        role: Int32(kernels_role_target.rawValue), number: 0, address: target),
    ]
    unsafe kernels_run(handle, arguments, Int32(arguments.count))
  }
}
