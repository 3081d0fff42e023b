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
    "constexpr_lut_to_sparse": { (layer) throws(WeighbridgeError) in
      let (mask, places) = try layer.mask("indices_mask")
      let codes = try layer.integerConstant("indices_nonzero_data")
      guard let table = try layer.constant("lut") else { throw layer.noTable }
      _ = try layer.optional("vector_axis")
      let groups = try layer.groups(of: table, mask.type)
      guard groups.size.entry == 1, codes.count == places.count else {
        throw layer.unsupported(
          "has \(codes.count) indices of a table \(table.type) for \(places.count) elements, and one number "
            + "for each can be read")
      }
      let (entries, size) = (table.doubles, groups.size.table)
      let indices = try layer.checkedCodes(codes, below: size)
      return layer.sparseParts(
        mask, zip(indices, places).map { entries[groups.places[$1] * size + Int($0)] })
    },
    "constexpr_sparse_blockwise_shift_scale": { (layer) throws(WeighbridgeError) in
      let (mask, places) = try layer.mask("data_mask")
      let numbers = try layer.numbers("nonzero_data")
      let (scales, offsets) = (try layer.constant("scale"), try layer.constant("offset"))
      guard let scales, scales.shape.count == mask.shape.count, numbers.count == places.count,
        offsets.map({ $0.shape == scales.shape }) != false,
        zip(mask.shape, scales.shape).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
      else {
        throw layer.malformed(
          "has \(numbers.count) numbers for \(places.count) elements of \(mask.type), expected one for each, "
            + "and a scale for each block")
      }
      let blocks = BlockPlaces(mask.shape, zip(mask.shape, scales.shape).map { $0 / $1 })
      let (factors, shifts) = (scales.doubles, offsets?.doubles)
      return layer.sparseParts(
        mask,
        zip(numbers, places).map { number, place in
          (number - (shifts?[blocks[place]] ?? 0)) * factors[blocks[place]]
        })
    },
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
    guard let data = try constant("data"), let scales = try constant("scale"), data.count > 0 else {
      throw malformed("has no data or no scale, expected elements and a number for each block")
    }
    let offset = try constant("offset")
    guard scales.shape.count == data.shape.count, offset.map({ $0.shape == scales.shape }) != false,
      zip(data.shape, scales.shape).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
    else {
      throw malformed("has scales \(scales.type) for \(data.type), expected one for each block")
    }
    let blocks = zip(data.shape, scales.shape).map { $0 / $1 }
    let several = scales.shape.indices.filter { scales.shape[$0] > 1 }
    let isLine = several.allSatisfy { blocks[$0] == 1 } && several.count <= 1
    let isInteger = [.int8, .uint8].contains(data.elementType)
    if isInteger, isLine {
      let line = QuantizedWeight.LinearParameters(
        scales: scales.doubles.map { Float($0) },
        zeroPoints: offset?.doubles.map { Int32(clamping: Int($0)) } ?? [], axis: several.first)
      return try packed(QuantizedWeight(data, bits: bits("data"), .linear(line)))
    }
    let isShifted = offset?.doubles.contains { $0 != 0 } ?? false
    if isInteger, !isShifted {
      return try packed(
        QuantizedWeight(data, bits: bits("data"), .blocks(shape: blocks, scales: scales)))
    }
    try network.countConstant(data.type, byteCount: 4 * data.count)
    let places = BlockPlaces(data.shape, blocks)
    let (numbers, factors) = (data.doubles, scales.doubles)
    let shifts = offset?.doubles ?? factors.map { _ in 0 }
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

  /// Numbers of a table, or vectors of them along an axis: one table for all, or one for each group of
  /// elements.
  fileprivate mutating func table() throws(WeighbridgeError) -> SourceValue {
    let indices = try integerConstant("indices")
    guard let table = try constant("lut"), table.count > 0 else { throw noTable }
    if let shape = try integers("shape") { return try packedTable(indices, table, shape) }
    let rank = indices.shape.count
    let vectorAxis = try optional("vector_axis")?.tensor?.wholeNumbers.first
    let groups = try groups(of: table, indices.type)
    let (size, length, entries) = (groups.size.table, groups.size.entry, table.doubles)
    let codes = try checkedCodes(indices, below: size)
    if groups.isOne, length == 1, let encoded = encoded(codes, indices.shape, entries) {
      return weight(try Tensor(encoded))
    }
    let axis = length == 1 ? 0 : try self.axis(vectorAxis ?? rank, rank: rank)
    var shape = indices.shape
    shape[axis] *= length
    let count = try Checked.product(shape + [8], of: "a weight") / 8
    try network.countConstant(TensorType(.float32, shape.map { .fixed($0) }), byteCount: 4 * count)
    // An element's position in the indices, and its place in the vector.
    let inner = shape[(axis + 1)...].reduce(1, *)
    return weight(
      Tensor(
        .float32, shape: shape,
        (0..<count).map { element in
          let (row, column) = (element / inner, element % inner)
          let index = row / length * inner + column
          return entries[(groups.places[index] * size + Int(codes[index])) * length + row % length]
        }))
  }

  /// What is said of a table that is missing.
  fileprivate var noTable: WeighbridgeError { malformed("has no lut, expected a table of numbers") }

  /// The table of each element of a weight, or of its indices.
  ///
  /// - Parameter table: `[groups..., table, entry]`
  fileprivate func groups(
    of table: Tensor, _ indices: TensorType
  ) throws(WeighbridgeError) -> (
    places: BlockPlaces, size: (table: Int, entry: Int), isOne: Bool
  ) {
    let shape = indices.fixedShape ?? []
    let groups = Array(table.shape.prefix(shape.count))
    guard table.shape.count == shape.count + 2, table.count > 0,
      zip(shape, groups).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
    else {
      throw malformed(
        "has a table \(table.type) for \(indices), expected one for each group of elements")
    }
    return (
      BlockPlaces(shape, zip(shape, groups).map { $0 / $1 }),
      (table.shape[shape.count], table.shape[shape.count + 1]), groups.allSatisfy { $0 == 1 }
    )
  }

  /// The elements of a weight that are not 0: a mask of its shape, and their positions.
  fileprivate mutating func mask(
    _ name: String
  ) throws(WeighbridgeError) -> (mask: Tensor, places: [Int]) {
    guard let mask = try constant(name), mask.elementType == .uint8 else {
      throw malformed("has no \(name), expected a bit for each element")
    }
    let bits = mask.contiguousBytes()
    return (mask, bits.indices.filter { bits[$0] != 0 })
  }

  /// The two results of an operation on elements that are not 0.
  fileprivate func sparseParts(_ mask: Tensor, _ numbers: [Double]) -> [SourceValue] {
    [
      newConstant(mask, "mask"),
      newConstant(Tensor(.float32, shape: [numbers.count], numbers), "numbers"),
    ]
  }

  private func encoded(
    _ codes: [UInt8], _ shape: [Int], _ table: [Double]
  ) -> EncodedElements? {
    let bits = max(1, (table.count - 1).bitWidth - (table.count - 1).leadingZeroBitCount)
    guard bits <= 8, table.count == 1 << bits else { return nil }
    let integers = Tensor(.uint8, shape: shape, bytes: codes)
    return QuantizedWeight(integers, bits: bits, .table(table.map { Float($0) })).encoded
  }

  fileprivate func checkedCodes(
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
fileprivate struct BlockPlaces {
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
