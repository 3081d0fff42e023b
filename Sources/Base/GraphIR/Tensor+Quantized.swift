package import Bytes
package import TensorEncoding

extension Tensor {
  /// The elements in the encoding of `.wbm` files, when they are encoded; also for a transposed
  /// tensor.
  package var storedElements: EncodedElements? { encodedElements ?? quantized?.encoded }

  /// The 16-bit type in which the elements are stored exactly; `nil` when there is none.
  package var storedHalfType: ElementType? {
    guard let stored = store.origin as? EncodedElements, stored.elementType == elementType,
      case .half(let half) = stored.encoding
    else { return nil }
    return half.elementType
  }

  /// The integers from which the elements are decoded, with this tensor's axes; `nil` when they are
  /// encoded differently, or when the scales do not run along one axis.
  package var quantized: QuantizedWeight? {
    guard let stored = store.origin as? EncodedElements, elementType == .float32,
      stored.elementType == elementType, count > 0
    else { return nil }
    let view = EncodedView(tensor: self, shape: stored.shape)
    do throws(WeighbridgeError) {
      return try stored.withBytes { (bytes) throws(WeighbridgeError) -> QuantizedWeight? in
        switch stored.encoding {
        case .linear(let linear):
          return view.weight(linear, try linear.content(bytes, shape: stored.shape))
        case .lookup(let lookup) where lookup.blockShape == stored.shape:
          let content = try lookup.content(bytes, shape: stored.shape)
          return QuantizedWeight(
            view.integers(.uint8, content.positions), bits: lookup.bits, .table(content.tables))
        case .rans: return view.weight(try RANSIntegers.content(bytes, shape: stored.shape))
        default: return nil
        }
      }
    } catch { return nil }  // reading the elements reports the reason
  }
}

/// A tensor as a view of the encoded tensor that its elements are decoded from.
private struct EncodedView {
  let tensor: Tensor
  /// The shape of the stored tensor, which is row-major.
  let shape: [Int]

  private var start: Int { tensor.offset / tensor.elementType.byteCount }

  /// The view with its elements replaced by integers.
  func integers(_ type: ElementType, _ bytes: [UInt8]) -> Tensor {
    Tensor(
      type, shape: tensor.shape, store: ByteStore(bytes), offset: start * type.byteCount,
      strides: tensor.strides)
  }

  func weight(_ linear: LinearIntegers, _ content: LinearIntegers.Content) -> QuantizedWeight? {
    let blockedAxes = shape.indices.filter { linear.blockShape[$0] < shape[$0] }
    guard blockedAxes.allSatisfy({ linear.blockShape[$0] == 1 }), blockedAxes.count <= 1 else {
      return blocks(linear, content)
    }
    guard let indices = indices(ofAxis: blockedAxes.first) else { return nil }
    let parameters = QuantizedWeight.LinearParameters(
      scales: indices.select(content.scales), zeroPoints: indices.select(content.zeroPoints),
      offsets: indices.select(content.offsets), axis: indices.axis)
    let bytes = content.integers.map { UInt8(bitPattern: $0) }
    return QuantizedWeight(
      integers(linear.isSigned ? .int8 : .uint8, bytes), bits: linear.bits, .linear(parameters))
  }

  /// Returns integers with a scale for each block, for the whole tensor with its axes in any
  /// order.
  private func blocks(
    _ linear: LinearIntegers, _ content: LinearIntegers.Content
  ) -> QuantizedWeight? {
    guard let order = storedAxes, !linear.hasZeroPoints, !linear.hasOffsets else { return nil }
    let grid = zip(shape, linear.blockShape).map { ($0 + $1 - 1) / $1 }
    let scales = Tensor(.float32, shape: grid, content.scales.map(Double.init)).permuted(order)
    let bytes = content.integers.map { UInt8(bitPattern: $0) }
    return QuantizedWeight(
      integers(linear.isSigned ? .int8 : .uint8, bytes), bits: linear.bits,
      .blocks(shape: order.map { linear.blockShape[$0] }, scales: scales))
  }

  /// The stored axis of each of the view's axes; `nil` when it is not the whole tensor.
  private var storedAxes: [Int]? {
    guard start == 0, tensor.shape.count == shape.count else { return nil }
    let storedStrides = Tensor.rowMajorStrides(shape)
    var order: [Int] = []
    for (size, stride) in zip(tensor.shape, tensor.strides) {
      let axis = shape.indices.first {
        !order.contains($0) && shape[$0] == size && (size == 1 || storedStrides[$0] == stride)
      }
      guard let axis else { return nil }
      order.append(axis)
    }
    return order
  }

  /// Returns integers that fit in 16 bits.
  func weight(_ content: RANSIntegers.Content) -> QuantizedWeight? {
    guard let indices = indices(ofAxis: content.steps.count == 1 ? nil : 0) else { return nil }
    let multiples = content.multiples(shape: shape)
    let largest = multiples.reduce(0) { max($0, $1 < 0 ? ~$1 : $1) }
    let bits = max(2, Int32.bitWidth - largest.leadingZeroBitCount + 1)
    guard bits <= 16 else { return nil }
    let parameters = QuantizedWeight.LinearParameters(
      scales: indices.select(content.steps), axis: indices.axis)
    let type: ElementType = bits <= 8 ? .int8 : .int16
    var bytes: [UInt8] = []
    bytes.reserveCapacity(multiples.count * type.byteCount)
    for integer in multiples {
      bytes.append(UInt8(truncatingIfNeeded: integer))
      if type == .int16 { bytes.append(UInt8(truncatingIfNeeded: integer >> 8)) }
    }
    return QuantizedWeight(integers(type, bytes), bits: bits, .linear(parameters))
  }

  /// A range of indices along an axis of the stored tensor.
  struct Indices {
    /// The view's axis along which they lie; `nil` if all elements have the same index.
    let axis: Int?
    let range: Range<Int>

    /// Returns the elements at the indices; a single element applies to all indices.
    func select<Number>(_ numbers: [Number]) -> [Number] {
      numbers.count <= 1 ? numbers : Array(numbers[range])
    }
  }

  /// Returns the range of an axis of the stored tensor that the view covers; `nil` if an axis of
  /// the view combines it with other axes.
  func indices(ofAxis storedAxis: Int?) -> Indices? {
    guard let storedAxis else { return Indices(axis: nil, range: 0..<1) }
    let (step, count) = (shape[(storedAxis + 1)...].reduce(1, *), shape[storedAxis])
    var axis: Int?
    var inner = start % step
    for (position, stride) in tensor.strides.enumerated() where tensor.shape[position] > 1 {
      if stride == step, axis == nil {
        axis = position
      } else if (0..<step).contains(stride) {
        inner += (tensor.shape[position] - 1) * stride
      } else if stride % (step * count) != 0 {
        return nil
      }
    }
    let first = start / step % count
    let range = first..<first + (axis.map { tensor.shape[$0] } ?? 1)
    return inner < step && range.upperBound <= count ? Indices(axis: axis, range: range) : nil
  }
}
