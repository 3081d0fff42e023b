import Bytes
package import TensorEncoding

/// A weight as integers, and what they stand for.
package struct QuantizedWeight: Sendable {
  /// What the integers stand for.
  package enum Meaning: Sendable {
    /// `(q - zeroPoint) * scale + offset`, each step in single precision.
    case linear(Line)
    /// `q * scale` in single precision, with a scale for each block of this shape along the axes; the
    /// scales are float32, as many along each axis as there are blocks.
    case blocks(shape: [Int], scales: Tensor)
    /// The number at position q of a table.
    case table([Float])
  }

  /// Numbers along a line: one of each, or one for each index of an axis.
  package struct Line: Sendable {
    /// At least one.
    package let scales: [Float]
    /// As many as scales; none where all are 0.
    package let zeroPoints: [Int32]
    /// As many as scales; none where nothing is added.
    package let offsets: [Float]
    /// The axis of which each index has a scale; `nil` for one scale.
    package let axis: Int?

    /// Lists of one number stand for as many as the longest list has.
    package init(scales: [Float], zeroPoints: [Int32] = [], offsets: [Float] = [], axis: Int?) {
      let count = max(scales.count, zeroPoints.count, offsets.count)
      func filled<Number>(_ numbers: [Number]) -> [Number] {
        numbers.count == 1 ? Array(repeating: numbers[0], count: count) : numbers
      }
      self.scales = filled(scales)
      self.zeroPoints = zeroPoints.allSatisfy { $0 == 0 } ? [] : filled(zeroPoints)
      self.offsets = filled(offsets)
      self.axis = count == 1 ? nil : axis
    }
  }

  /// int8, uint8 or int16, in the weight's shape.
  package let integers: Tensor
  /// The bits that an integer needs.
  package let bits: Int
  /// What they stand for.
  package let meaning: Meaning

  /// Makes a weight of its integers.
  package init(_ integers: Tensor, bits: Int, _ meaning: Meaning) {
    (self.integers, self.bits, self.meaning) = (integers, bits, meaning)
  }

  /// The integers and what they stand for, as a file of ours has them; `nil` where it cannot.
  package var encoded: EncodedElements? {
    let shape = integers.shape
    guard integers.elementType != .int16 else { return nil }
    let bytes = integers.contiguousBytes()
    switch meaning {
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
    case .linear(let line):
      guard (2...8).contains(bits) else { return nil }
      var blockShape = shape.map { max($0, 1) }
      if let axis = line.axis { blockShape[axis] = 1 }
      let linear = LinearIntegers(
        bits: bits, isSigned: integers.elementType == .int8, blockShape: blockShape,
        hasZeroPoints: !line.zeroPoints.isEmpty, hasOffsets: !line.offsets.isEmpty)
      let content = LinearIntegers.Content(
        integers: bytes.map { Int8(bitPattern: $0) }, scales: line.scales,
        zeroPoints: line.zeroPoints, offsets: line.offsets)
      return EncodedElements(
        .linear(linear), .float32, shape: shape, bytes: linear.encode(content, shape: shape))
    }
  }
}
