import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import TensorEncoding

/// Weights that a program stores in less space; they stay so where an encoding has the same numbers.
enum MILCompression {
  static let nodes: [String: MILLayer.Build] = [
    "constexpr_affine_dequantize": { (layer) throws(WeighbridgeError) in
      let data = try layer.integerConstant("quantized_data")
      let scales = try layer.numbers("scale")
      let zeroPoints = try layer.numbers("zero_point")
      let axis = try layer.axis(
        try layer.integer("axis", default: 0), rank: max(1, data.shape.count))
      let count = scales.count == 1 ? zeroPoints.count : scales.count
      guard [scales.count, zeroPoints.count].allSatisfy({ [1, count].contains($0) }),
        count == 1 || data.shape.indices.contains(axis) && data.shape[axis] == count
      else {
        throw layer.malformed(
          "has \(scales.count) scales and \(zeroPoints.count) zero points for \(data.type), expected "
            + "one, or one along the axis \(axis)")
      }
      let line = QuantizedWeight.LinearParameters(
        scales: scales.map { Float($0) }, zeroPoints: zeroPoints.map { Int32(clamping: Int($0)) },
        axis: axis)
      return [try layer.packed(QuantizedWeight(data, bits: 8, .linear(line)))]
    },
    "constexpr_blockwise_shift_scale": { (layer) throws(WeighbridgeError) in
      [try layer.blockwise()]
    },
    "constexpr_lut_to_dense": { (layer) throws(WeighbridgeError) in [try layer.table()] },
    "constexpr_sparse_to_dense": { (layer) throws(WeighbridgeError) in [try layer.sparse()] },
    "constexpr_cast": { (layer) throws(WeighbridgeError) in
      layer.ignore("output_dtype")
      return [try layer.input("source_val")]
    },
  ]
}

extension MILLayer {
  fileprivate mutating func integerConstant(_ name: String) throws(WeighbridgeError) -> Tensor {
    guard let tensor = try constant(name), [.int8, .uint8].contains(tensor.elementType),
      tensor.count > 0
    else { throw malformed("has no integers of 8 bits as \(name), which \(operation.type) takes") }
    return tensor
  }

  fileprivate mutating func numbers(_ name: String) throws(WeighbridgeError) -> [Double] {
    guard let tensor = try constant(name), tensor.count > 0 else {
      throw malformed("has no numbers as \(name), which \(operation.type) takes")
    }
    return tensor.doubles
  }

  /// A constant of encoded elements, or of the decoded ones where no encoding has them.
  fileprivate mutating func packed(
    _ weight: QuantizedWeight
  ) throws(WeighbridgeError) -> SourceValue {
    guard let encoded = weight.encoded else {
      throw unsupported(
        "has integers \(weight.integers.type) of \(weight.bits) bits, which no encoding can hold")
    }
    return self.weight(try Tensor(encoded))
  }

  private func weight(_ tensor: Tensor) -> SourceValue {
    .constant(operation.outputs.first?.name ?? source.layer, tensor)
  }

  /// Integers with a scale, and perhaps an offset, for each block.
  fileprivate mutating func blockwise() throws(WeighbridgeError) -> SourceValue {
    let data = try integerConstant("data")
    guard let scales = try constant("scale") else { throw malformed("has no scale, expected some") }
    let offset = try constant("offset")
    guard scales.shape.count == data.shape.count, offset.map({ $0.shape == scales.shape }) != false,
      zip(data.shape, scales.shape).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
    else {
      throw malformed("has scales \(scales.type) for \(data.type), expected one for each block")
    }
    let blocks = zip(data.shape, scales.shape).map { $0 / $1 }
    let several = scales.shape.indices.filter { scales.shape[$0] > 1 }
    let isLine = several.allSatisfy { blocks[$0] == 1 } && several.count <= 1
    if isLine {
      let line = QuantizedWeight.LinearParameters(
        scales: scales.doubles.map { Float($0) },
        zeroPoints: offset?.doubles.map { Int32(clamping: Int($0)) } ?? [], axis: several.first)
      return try packed(QuantizedWeight(data, bits: bits("data"), .linear(line)))
    }
    guard let offset, offset.doubles.contains(where: { $0 != 0 }) else {
      return try packed(
        QuantizedWeight(data, bits: bits("data"), .blocks(shape: blocks, scales: scales)))
    }
    let places = BlockPlaces(data.shape, blocks)
    let (numbers, factors, shifts) = (data.doubles, scales.doubles, offset.doubles)
    return weight(
      Tensor(
        .float32, shape: data.shape,
        numbers.indices.map { (numbers[$0] - shifts[places[$0]]) * factors[places[$0]] }))
  }

  /// The number of bits of the integers of an input, as the file states it.
  private func bits(_ name: String) -> Int {
    let values = operation.inputs.filter { $0.name == name }.flatMap(\.bindings)
    for case .value(let value) in values {
      if case .tensor(let type, _) = value.type { return type.packedBits ?? 8 }
    }
    return 8
  }

  /// Numbers of a table: one for all, or one for each group of channels.
  fileprivate mutating func table() throws(WeighbridgeError) -> SourceValue {
    let indices = try integerConstant("indices")
    guard let table = try constant("lut"), let last = table.shape.last, table.count > 0 else {
      throw malformed("has no lut, expected a table of numbers")
    }
    if let shape = try integers("shape") { return try packedTable(indices, table, shape) }
    guard try optional("vector_axis") == nil || last == 1 else {
      throw unsupported("has a table of vectors, and tables of numbers can be read")
    }
    let rank = indices.shape.count
    let groups = Array(table.shape.prefix(rank))
    guard table.shape.count == rank + 2, last == 1,
      zip(indices.shape, groups).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
    else {
      throw malformed(
        "has a table \(table.type) for \(indices.type), expected one for each group of elements")
    }
    let (size, entries) = (table.shape[rank], table.doubles)
    let codes = try checkedCodes(indices, below: size)
    if groups.allSatisfy({ $0 == 1 }), let encoded = encoded(codes, indices.shape, entries) {
      return weight(try Tensor(encoded))
    }
    let places = BlockPlaces(indices.shape, zip(indices.shape, groups).map { $0 / $1 })
    return weight(
      Tensor(
        .float32, shape: indices.shape,
        codes.indices.map { entries[places[$0] * size + Int(codes[$0])] }))
  }

  private func encoded(
    _ codes: [UInt8], _ shape: [Int], _ table: [Double]
  ) -> EncodedElements? {
    let bits = max(1, (table.count - 1).bitWidth - (table.count - 1).leadingZeroBitCount)
    guard bits <= 8, table.count == 1 << bits else { return nil }
    let integers = Tensor(.uint8, shape: shape, bytes: codes)
    return QuantizedWeight(integers, bits: bits, .table(table.map { Float($0) })).encoded
  }

  private func checkedCodes(
    _ indices: Tensor, below count: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    let codes = indices.contiguousBytes()
    guard codes.allSatisfy({ Int($0) < count }) else {
      throw malformed("has an index beyond a table of \(count), expected smaller ones")
    }
    return codes
  }

  /// Up to iOS 17: indices packed into bytes, from the lowest bit on.
  private func packedTable(
    _ indices: Tensor, _ table: Tensor, _ shape: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let entries = table.doubles
    let bits = max(1, (entries.count - 1).bitWidth - (entries.count - 1).leadingZeroBitCount)
    let count = try Checked.product(shape, of: "the size of a weight")
    let bytes = indices.contiguousBytes()
    guard bits <= 8, entries.count == 1 << bits,
      bytes.count == (try Checked.product([count, bits], of: "a weight") + 7) / 8
    else {
      throw malformed(
        "has \(bytes.count) bytes of indices and a table of \(entries.count) for the shape \(shape), "
          + "expected a table of 2 to 256 and as many bytes as the indices take")
    }
    let codes = MILFiles.unpacked(bytes, bits: bits, count: count)
    guard let encoded = encoded(codes, shape, entries) else {
      throw unsupported("has a table of \(entries.count), which no encoding can hold")
    }
    return weight(try Tensor(encoded))
  }

  /// Zeros, and the numbers elsewhere.
  fileprivate mutating func sparse() throws(WeighbridgeError) -> SourceValue {
    let numbers = try numbers("nonzero_data")
    guard let mask = try constant("mask") else { throw malformed("has no mask, expected bits") }
    var (shape, bits) = (mask.shape, mask.contiguousBytes())
    if let stated = try integers("shape") {
      let count = try Checked.product(stated, of: "the size of a weight")
      guard bits.count == (count + 7) / 8 else {
        throw malformed(
          "has a mask of \(bits.count) bytes for \(count) elements, expected a bit each")
      }
      (shape, bits) = (stated, MILFiles.unpacked(bits, bits: 1, count: count))
    }
    guard bits.count(where: { $0 != 0 }) == numbers.count else {
      throw malformed("has \(numbers.count) numbers, expected one for each bit of the mask")
    }
    var rest = numbers[...]
    let elements = bits.map { $0 == 0 ? 0 : rest.removeFirst() }
    try network.countConstant(
      TensorType(.float32, shape.map { .fixed($0) }), byteCount: 4 * bits.count)
    return weight(Tensor(.float32, shape: shape, elements))
  }
}

/// The block of each element, in row-major order.
private struct BlockPlaces {
  private let shape, blocks, strides: [Int]

  init(_ shape: [Int], _ blocks: [Int]) {
    (self.shape, self.blocks) = (shape, blocks)
    strides = Tensor.rowMajorStrides(zip(shape, blocks).map { $0 / $1 })
  }

  subscript(_ element: Int) -> Int {
    var (rest, place) = (element, 0)
    for axis in shape.indices.reversed() {
      place += rest % shape[axis] / blocks[axis] * strides[axis]
      rest /= shape[axis]
    }
    return place
  }
}
