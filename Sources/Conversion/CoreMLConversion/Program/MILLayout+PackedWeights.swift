import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import TensorEncoding

/// Weights of integers, which a program makes numbers of before it first runs.
extension MILLayout {
  /// The operation for a weight that is encoded; `nil` where the deployment has none for it.
  mutating func packed(
    _ tensor: Tensor, as type: ElementType, named name: String
  ) -> MILOperation? {
    guard builder.version >= 7, let weight = tensor.quantized, weight.bits <= 8 else { return nil }
    switch weight.dequantization {
    case .table(let table): return lookup(weight, table, as: type, named: name)
    case .linear(let line):
      guard line.offsets.isEmpty, fits(line.scales, type) else { return nil }
      return builder.version >= 9
        ? blockwise(weight, line, as: type, named: name)
        : affine(weight, line, as: type, named: name)
    case .blocks(let shape, let scales):
      let sizes = zip(weight.integers.shape, shape)
      guard builder.version >= 9, sizes.allSatisfy({ $0 % $1 == 0 }),
        fits(scales.doubles.map { Float($0) }, type)
      else { return nil }
      return blockwise(weight, scales, nil, as: type, named: name)
    }
  }

  /// Whether scales keep their digits in the type in which the program computes.
  private func fits(_ scales: [Float], _ type: ElementType) -> Bool {
    type != .float16
      || scales.allSatisfy { $0 == 0 || abs($0) >= 0x1p-14 && Float16($0).isFinite }
  }

  private func operation(
    _ kind: String, _ arguments: [(String, MILValue)], as type: ElementType, _ shape: [Int],
    named name: String
  ) -> MILOperation {
    let output = MILNamedType(name, .tensor(MILDataType(type), shape: shape))
    let attributes = [MILOperation.Attribute("name", .string(name))]
    guard builder.version >= 9 else {
      return MILOperation(
        kind, outputs: [output],
        attributes: attributes + arguments.map { MILOperation.Attribute($0, $1) })
    }
    return MILOperation(
      kind, inputs: arguments.map { MILOperation.Input($0, [.value($1)]) }, outputs: [output],
      attributes: attributes)
  }

  // MARK: Lines

  /// Integers of 8 bits with a scale and a zero point, or one of each along an axis.
  private mutating func affine(
    _ weight: QuantizedWeight, _ line: QuantizedWeight.LinearParameters, as type: ElementType,
    named name: String
  ) -> MILOperation? {
    let (integers, isSigned) = (weight.integers, weight.integers.elementType == .int8)
    guard let zeroPoints = zeroPoints(line, isSigned) else { return nil }
    let shape = line.axis == nil ? [] : [line.scales.count]
    let dataType: MILDataType = isSigned ? .int8 : .uint8
    let data = blob(
      integers, as: integers.elementType, .tensor(dataType, shape: integers.shape), named: name)
    let scales = Tensor(.float32, shape: shape, line.scales.map(Double.init))
    return operation(
      "constexpr_affine_dequantize",
      [
        ("quantized_data", data),
        ("zero_point", MILValue(.tensor(dataType, shape: shape), .bytes(zeroPoints))),
        ("scale", value(scales, as: type, named: name)),
        ("axis", MILValue(.tensor(.int32, shape: []), .integers([line.axis ?? 0]))),
      ], as: type, integers.shape, named: name)
  }

  private func zeroPoints(
    _ line: QuantizedWeight.LinearParameters, _ isSigned: Bool
  ) -> [UInt8]? {
    let numbers = line.zeroPoints.isEmpty ? line.scales.map { _ in Int32(0) } : line.zeroPoints
    let bytes = numbers.compactMap { number in
      isSigned ? Int8(exactly: number).map { UInt8(bitPattern: $0) } : UInt8(exactly: number)
    }
    return bytes.count == numbers.count ? bytes : nil
  }

  private mutating func blockwise(
    _ weight: QuantizedWeight, _ line: QuantizedWeight.LinearParameters, as type: ElementType,
    named name: String
  ) -> MILOperation? {
    var shape = weight.integers.shape.map { _ in 1 }
    if let axis = line.axis { shape[axis] = line.scales.count }
    guard let zeroPoints = zeroPoints(line, weight.integers.elementType == .int8) else {
      return nil
    }
    let scales = Tensor(.float32, shape: shape, line.scales.map(Double.init))
    return blockwise(
      weight, scales, line.zeroPoints.isEmpty ? nil : zeroPoints, as: type, named: name)
  }

  /// Integers of 4 or 8 bits with a scale for each block.
  private mutating func blockwise(
    _ weight: QuantizedWeight, _ scales: Tensor, _ offsets: [UInt8]?, as type: ElementType,
    named name: String
  ) -> MILOperation {
    let (integers, isSigned) = (weight.integers, weight.integers.elementType == .int8)
    let bits = weight.bits <= 4 ? 4 : 8
    let dataType: MILDataType =
      switch (bits, isSigned) {
      case (4, true): .int4
      case (4, false): .uint4
      case (_, true): .int8
      case (_, false): .uint8
      }
    var arguments = [
      ("data", packed(integers.contiguousBytes(), bits, dataType, integers.shape, named: name)),
      ("scale", value(scales, as: type, named: name)),
    ]
    if let offsets {
      arguments.append(("offset", packed(offsets, bits, dataType, scales.shape, named: name)))
    }
    return operation(
      "constexpr_blockwise_shift_scale", arguments, as: type, integers.shape, named: name)
  }

  /// Integers in as many bits as they take, from the lowest bit on.
  private mutating func packed(
    _ integers: [UInt8], _ bits: Int, _ dataType: MILDataType, _ shape: [Int], named name: String
  ) -> MILValue {
    let bytes = Self.packed(integers, bits: bits)
    return blob(
      Tensor(.uint8, shape: [bytes.count], bytes: bytes), as: .uint8,
      .tensor(dataType, shape: shape), named: name,
      paddingBits: bytes.count * 8 - integers.count * bits)
  }

  private static func packed(_ integers: [UInt8], bits: Int) -> [UInt8] {
    guard bits < 8 else { return integers }
    var bytes = [UInt8](repeating: 0, count: (integers.count * bits + 7) / 8)
    let mask = UInt16(1) << UInt16(bits) - 1
    for (index, integer) in integers.enumerated() {
      let (byte, shift) = (index * bits / 8, index * bits % 8)
      let moved = (UInt16(integer) & mask) << UInt16(shift)
      bytes[byte] |= UInt8(truncatingIfNeeded: moved)
      if shift + bits > 8 { bytes[byte + 1] |= UInt8(truncatingIfNeeded: moved >> 8) }
    }
    return bytes
  }

  // MARK: Tables

  /// Indices into a table of 2, 4, 16, 64 or 256 numbers, from iOS 18 on of 8, too.
  private mutating func lookup(
    _ weight: QuantizedWeight, _ table: [Float], as type: ElementType, named name: String
  ) -> MILOperation? {
    let widths = [1, 2, 4, 6, 8] + (builder.version < 9 ? [] : [3])
    guard let bits = widths.filter({ $0 >= weight.bits }).min() else { return nil }
    let entries = table.map(Double.init) + [Double](repeating: 0, count: (1 << bits) - table.count)
    let (codes, shape) = (weight.integers.contiguousBytes(), weight.integers.shape)
    guard builder.version < 9 else {
      let types: [Int: MILDataType] = [
        1: .uint1, 2: .uint2, 3: .uint3, 4: .uint4, 6: .uint6, 8: .uint8,
      ]
      let lut = Tensor(.float32, shape: shape.map { _ in 1 } + [entries.count, 1], entries)
      return operation(
        "constexpr_lut_to_dense",
        [
          ("indices", packed(codes, bits, types[bits] ?? .uint8, shape, named: name)),
          ("lut", value(lut, as: type, named: name)),
        ], as: type, shape, named: name)
    }
    let bytes = Self.packed(codes, bits: bits)
    let indices = blob(
      Tensor(.uint8, shape: [bytes.count], bytes: bytes), as: .uint8,
      .tensor(.uint8, shape: [bytes.count]), named: name)
    var sizes: [UInt8] = []
    for size in shape { sizes.append(littleEndian: size, byteCount: 4) }
    let lut = Tensor(.float32, shape: [entries.count], entries)
    return operation(
      "constexpr_lut_to_dense",
      [
        ("indices", indices), ("lut", value(lut, as: type, named: name)),
        ("shape", MILValue(.tensor(.uint32, shape: [shape.count]), .bytes(sizes))),
      ], as: type, shape, named: name)
  }
}
