import Bytes
package import TensorEncoding

/// A weight as integers with their scales or table.
package struct QuantizedWeight: Sendable {
  /// How the integers are converted to the values that they represent.
  package enum Dequantization: Sendable {
    /// `(q - zeroPoint) * scale + offset`, each step in single precision.
    case linear(LinearParameters)
    /// `q * scale` in single precision, with a scale for each block of this shape; the scales are a
    /// float32 tensor with one element per block.
    case blocks(shape: [Int], scales: Tensor)
    /// The number at index q of a table.
    case table([Float])
  }

  /// The parameters of a linear dequantization: one of each, or one for each index of an axis.
  package struct LinearParameters: Sendable {
    /// At least one.
    package let scales: [Float]
    /// One for each scale; none where all are 0.
    package let zeroPoints: [Int32]
    /// One for each scale; none where nothing is added.
    package let offsets: [Float]
    /// The axis whose indices each have a scale; `nil` for one scale.
    package let axis: Int?

    /// Creates the parameters. Lists of one element are repeated to the length of the longest list.
    package init(scales: [Float], zeroPoints: [Int32] = [], offsets: [Float] = [], axis: Int?) {
      let count = max(scales.count, zeroPoints.count, offsets.count)
      func repeated<Number>(_ numbers: [Number]) -> [Number] {
        numbers.count == 1 ? Array(repeating: numbers[0], count: count) : numbers
      }
      self.scales = repeated(scales)
      self.zeroPoints = zeroPoints.allSatisfy { $0 == 0 } ? [] : repeated(zeroPoints)
      self.offsets = repeated(offsets)
      self.axis = count == 1 ? nil : axis
    }
  }

  /// int8, uint8 or int16, in the weight's shape.
  package let integers: Tensor
  /// The number of bits that an integer needs.
  package let bits: Int
  /// How the integers are converted to values.
  package let dequantization: Dequantization

  /// Creates a weight from its integers.
  package init(_ integers: Tensor, bits: Int, _ dequantization: Dequantization) {
    (self.integers, self.bits, self.dequantization) = (integers, bits, dequantization)
  }

  /// The weight in the encoding of `.wbm` files; `nil` where there is none.
  package var encoded: EncodedElements? {
    let shape = integers.shape
    guard integers.elementType != .int16 else { return nil }
    let bytes = integers.contiguousBytes()
    switch dequantization {
    case .table(let table):
      let tables = LookupTables(bits: bits, blockShape: shape)
      return EncodedElements(
        .lookup(tables), .float32, shape: shape,
        bytes: tables.encode(.init(positions: bytes, tables: table), shape: shape))
    case .blocks(let blockShape, let scales):
      let linear = LinearIntegers(
        bits: bits, isSigned: integers.elementType == .int8, blockShape: blockShape)
      let content = LinearIntegers.Content(
        integers: bytes.map { Int8(bitPattern: $0) }, scales: scales.doubles.map { Float($0) })
      return EncodedElements(
        .linear(linear), .float32, shape: shape, bytes: linear.encode(content, shape: shape))
    case .linear(let parameters):
      guard (2...8).contains(bits) else { return nil }
      var blockShape = shape.map { max($0, 1) }
      if let axis = parameters.axis { blockShape[axis] = 1 }
      let linear = LinearIntegers(
        bits: bits, isSigned: integers.elementType == .int8, blockShape: blockShape,
        hasZeroPoints: !parameters.zeroPoints.isEmpty, hasOffsets: !parameters.offsets.isEmpty)
      let content = LinearIntegers.Content(
        integers: bytes.map { Int8(bitPattern: $0) }, scales: parameters.scales,
        zeroPoints: parameters.zeroPoints, offsets: parameters.offsets)
      return EncodedElements(
        .linear(linear), .float32, shape: shape, bytes: linear.encode(content, shape: shape))
    }
  }
}
