import Bytes
import GraphIR
import TensorEncoding
import Testing

/// The integers of encoded tensors, seen through other axes.
@Suite struct QuantizedWeightTests {
  private static let scales: [Float] = [0.5, 2, 0.25]
  private static let integers = (0..<24).map { Int8($0 * 9 % 15 - 7) }

  /// 4-bit integers `[3, 2, 4]` with a scale for each row.
  private static func tensor(zeroPoints: [Int32] = [], offsets: [Float] = []) throws -> Tensor {
    let linear = LinearIntegers(
      bits: 4, isSigned: true, blockShape: [1, 2, 4], hasZeroPoints: !zeroPoints.isEmpty,
      hasOffsets: !offsets.isEmpty)
    let content = LinearIntegers.Content(
      integers: integers, scales: scales, zeroPoints: zeroPoints, offsets: offsets)
    return try Tensor(
      EncodedElements(
        .linear(linear), .float32, shape: [3, 2, 4],
        bytes: linear.encode(content, shape: [3, 2, 4])))
  }

  /// What the integers stand for, computed from the parts alone.
  private func numbers(_ weight: QuantizedWeight) throws -> [Double] {
    let integers = weight.integers.doubles
    switch weight.dequantization {
    case .table(let table): return integers.map { Double(table[Int($0)]) }
    case .blocks(let blockShape, let scales):
      let shape = weight.integers.shape
      let numbers = scales.doubles
      return integers.enumerated().map { position, integer in
        var (remaining, block, step) = (position, 0, 1)
        for axis in shape.indices.reversed() {
          block += remaining % shape[axis] / blockShape[axis] * step
          remaining /= shape[axis]
          step *= scales.shape[axis]
        }
        return Double(Float(integer) * Float(numbers[block]))
      }
    case .linear(let parameters):
      let step =
        parameters.axis.map { weight.integers.shape[($0 + 1)...].reduce(1, *) } ?? integers.count
      return integers.enumerated().map { position, integer in
        let index = position / step % parameters.scales.count
        let zeroPoint = parameters.zeroPoints.isEmpty ? 0 : Double(parameters.zeroPoints[index])
        let offset = parameters.offsets.isEmpty ? 0 : parameters.offsets[index]
        return Double(Float(integer - zeroPoint) * parameters.scales[index] + offset)
      }
    }
  }

  @Test("A tensor keeps the scales of its blocks in any order of its axes")
  func blocks() throws {
    for blockShape in [[1, 2, 3], [2, 1, 1], [1, 1, 4], [2, 2, 4]] {
      let linear = LinearIntegers(bits: 4, isSigned: true, blockShape: blockShape)
      let count = zip([3, 2, 4], blockShape).reduce(1) { $0 * (($1.0 + $1.1 - 1) / $1.1) }
      let content = LinearIntegers.Content(
        integers: Self.integers, scales: (0..<count).map { 0.5 + Float($0) })
      let whole = try Tensor(
        EncodedElements(
          .linear(linear), .float32, shape: [3, 2, 4],
          bytes: linear.encode(content, shape: [3, 2, 4])))
      for view in [whole, whole.permuted([2, 0, 1]), whole.permuted([1, 2, 0])] {
        let weight = try #require(view.quantized)
        if case .linear = weight.dequantization {
          Issue.record("scales of \(blockShape) along an axis")
        }
        #expect(try numbers(weight) == view.doubles)
        let reencoded = try Tensor(try #require(view.storedElements))
        #expect(reencoded.shape == view.shape && reencoded.doubles == view.doubles)
      }
      let part = whole.slice(1..<3, along: 0)
      if case .blocks = part.quantized?.dequantization {
        Issue.record("a part has blocks of its own")
      }
    }
  }

  @Test("Views of a tensor keep their integers, and scales that lie along one axis")
  func views() throws {
    let whole = try Self.tensor()
    let views: [(Tensor, axis: Int?, scaleCount: Int)] = [
      (whole, 0, 3), (whole.permuted([2, 0, 1]), 1, 3), (whole.permuted([1, 2, 0]), 2, 3),
      (whole.slice(1..<3, along: 0), 0, 2), (whole.slice(1..<2, along: 0), nil, 1),
      (whole.slice(1..<2, along: 1).permuted([2, 1, 0]), 2, 3), (whole.reshaped([3, 8]), 0, 3),
    ]
    for (view, axis, count) in views {
      let weight = try #require(view.quantized)
      guard case .linear(let parameters) = weight.dequantization else {
        Issue.record("the weight has a table")
        return
      }
      #expect(parameters.axis == axis && parameters.scales.count == count && weight.bits == 4)
      #expect(weight.integers.shape == view.shape && weight.integers.elementType == .int8)
      #expect(try numbers(weight) == view.doubles)
      let reencoded = try Tensor(try #require(view.storedElements))
      #expect(reencoded.shape == view.shape && reencoded.doubles == view.doubles)
    }
  }

  @Test("Zero points and offsets go with their scales")
  func zeroPointsAndOffsets() throws {
    let tensor = try Self.tensor(zeroPoints: [1, -2, 3], offsets: [0.5, 0, -1])
    for view in [tensor, tensor.permuted([1, 0, 2]), tensor.slice(0..<2, along: 0)] {
      #expect(try numbers(try #require(view.quantized)) == view.doubles)
    }
  }

  @Test("A view in which the scales no longer follow its axes has no integers")
  func mixedAxes() throws {
    let tensor = try Self.tensor()
    for view in [tensor.reshaped([24]), tensor.reshaped([6, 4]), tensor.reshaped([2, 12])] {
      #expect(view.quantized == nil && view.storedElements == nil)
    }
    #expect(tensor.contiguous().quantized != nil)
    #expect(Tensor(.float32, shape: [2], [1, 2]).quantized == nil)
  }

  @Test("A table stays with its positions")
  func table() throws {
    let lookup = LookupTables(bits: 2, blockShape: [4, 3])
    let positions = (0..<12).map { UInt8($0 * 5 % 4) }
    let content = LookupTables.Content(positions: positions, tables: [-1, 0.25, 3, 8])
    let tensor = try Tensor(
      EncodedElements(
        .lookup(lookup), .float32, shape: [4, 3], bytes: lookup.encode(content, shape: [4, 3])))
    for view in [tensor, tensor.permuted([1, 0]), tensor.slice(1..<3, along: 0)] {
      let weight = try #require(view.quantized)
      #expect(weight.bits == 2)
      #expect(try numbers(weight) == view.doubles)
      #expect(try Tensor(try #require(view.storedElements)).doubles == view.doubles)
    }
  }

  @Test("Entropy-coded integers take as many bits as they need", arguments: [3, 100, 30_000])
  func entropyCoded(largest: Int32) throws {
    let integers = (0..<64).map { Int32($0) * 7919 % (2 * largest + 1) - largest }
    let bytes = RANSIntegers.encode(
      .init(integers: integers, steps: [0.5, 1, 2, 4]), shape: [4, 16])
    let tensor = try Tensor(EncodedElements(.rans, .float32, shape: [4, 16], bytes: bytes))
    let weight = try #require(tensor.permuted([1, 0]).quantized)
    #expect(weight.integers.elementType == (largest <= 127 ? .int8 : .int16))
    #expect(integers.allSatisfy { abs(Int($0)) < 1 << (weight.bits - 1) })
    #expect(try numbers(weight) == tensor.permuted([1, 0]).doubles)
  }
}
