import CKernels
import GraphIR

/// The sizes and the memory layout of a float32 array: row-major, permuted, or blocked for kernels.
@safe final class Layout: Sendable {
  /// Immutable and owned by this object, so threads may share it.
  nonisolated(unsafe) let handle: OpaquePointer
  /// The sizes, outermost first.
  let dimensions: [Int]

  /// Takes ownership of a layout created by the kernels.
  init?(owning handle: OpaquePointer?) {
    guard let handle = unsafe handle else { return nil }
    unsafe self.handle = unsafe handle
    // The function writes at most the maximum number of axes.
    dimensions = unsafe withUnsafeTemporaryAllocation(
      of: Int64.self, capacity: Int(KERNELS_MAX_RANK)
    ) {
      let rank = unsafe Int(kernels_layout_sizes(handle, $0.baseAddress))
      return unsafe $0[..<rank].map { Int($0) }
    }
  }

  deinit { unsafe kernels_layout_free(handle) }

  /// A contiguous row-major layout; `nil` for no axes, too many axes, or no elements.
  static func rowMajor(_ dimensions: [Int]) -> Layout? {
    strided(dimensions, strides: Tensor.rowMajorStrides(dimensions))
  }

  /// A layout with given strides; `nil` as in ``rowMajor(_:)``, and for strides below 1.
  static func strided(_ dimensions: [Int], strides: [Int]) -> Layout? {
    guard canHold(dimensions), strides.allSatisfy({ $0 >= 1 }) else { return nil }
    return unsafe Layout(
      owning: kernels_layout_strided(
        Int32(dimensions.count), dimensions.map(Int64.init), strides.map(Int64.init)))
  }

  /// Sizes with a layout left for a primitive to choose.
  static func any(_ dimensions: [Int]) -> Layout? {
    guard canHold(dimensions) else { return nil }
    return unsafe Layout(
      owning: kernels_layout_any(Int32(dimensions.count), dimensions.map(Int64.init)))
  }

  /// Whether arrays of these sizes can have a layout.
  private static func canHold(_ dimensions: [Int]) -> Bool {
    (1...Int(KERNELS_MAX_RANK)).contains(dimensions.count)
      && dimensions.allSatisfy { $0 >= 1 }
  }

  /// The same memory with axis `axes[i]` at position i.
  func permuted(_ axes: [Int]) -> Layout? {
    unsafe Layout(owning: kernels_layout_permuted(handle, axes.map(Int32.init)))
  }

  /// The same memory with other sizes; `nil` if the memory order does not allow it.
  func reshaped(_ dimensions: [Int]) -> Layout? {
    guard Self.canHold(dimensions) else { return nil }
    return unsafe Layout(
      owning: kernels_layout_reshaped(handle, Int32(dimensions.count), dimensions.map(Int64.init)))
  }

  /// The part whose index along the first axis lies in `range`, in the memory of the whole; `nil`
  /// where blocks do not end there.
  func part(_ range: Range<Int>) -> Layout? {
    var (part, offsets) = (dimensions, dimensions.map { _ in 0 })
    (part[0], offsets[0]) = (range.count, range.lowerBound)
    return unsafe Layout(
      owning: kernels_layout_part(handle, part.map(Int64.init), offsets.map(Int64.init)))
  }

  /// The size in bytes, with padding.
  var byteCount: Int { unsafe Int(kernels_layout_byte_count(handle)) }

  /// Whether the memory holds nothing but this array.
  var isDense: Bool { unsafe kernels_layout_is_dense(handle) }

  /// Whether a dense array is padded to full blocks.
  var isPadded: Bool { byteCount != dimensions.reduce(MemoryLayout<Float>.stride, *) }

  /// Whether the memory holds something else than the elements, such as transformed weights.
  var isOpaque: Bool { unsafe kernels_layout_is_opaque(handle) }

  /// Whether the elements are contiguous in row-major order.
  var isRowMajor: Bool { Layout.rowMajor(dimensions).map(isSame) ?? false }

  /// Whether two layouts are the same in all respects.
  func isSame(as other: Layout) -> Bool { unsafe kernels_layout_equal(handle, other.handle) }

  /// The stride along each axis (between blocks, along a blocked axis).
  var strides: [Int] {
    unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: Int(KERNELS_MAX_RANK)) {
      unsafe kernels_layout_strides(handle, $0.baseAddress)
      return unsafe $0[..<dimensions.count].map { Int($0) }
    }
  }
}
