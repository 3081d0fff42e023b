import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Types that are narrower than those of the graph. A wider type holds their values, so that only
/// operators that move elements, or know the type, may read them.
extension ONNXLayer {
  /// The operators whose first output has the elements of the first input.
  private static let movingOperators: Set<String> = [
    "Concat", "Expand", "Flatten", "Gather", "Identity", "Pad", "Reshape", "Slice", "Squeeze",
    "Tile", "Transpose", "Unsqueeze",
  ]
  /// The operators that give values of a type of their own.
  private static let readingOperators: Set<String> = [
    "Cast", "CastLike", "DequantizeLinear", "If", "Loop", "QuantizeLinear", "Scan", "Shape", "Size",
  ]

  /// The type of an input if it is narrower than those of the graph.
  func narrowType(_ position: Int) -> ONNXNarrowType? {
    position < node.inputs.count ? network.narrowTypes[node.inputs[position]] : nil
  }

  /// Returns the types of the outputs that are narrower than those of the graph.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the operator would compute with more bits
  ///   than the type has.
  func checkedNarrowTypes(outputCount: Int) throws(WeighbridgeError) -> [ONNXNarrowType?] {
    guard let type = node.inputs.indices.lazy.compactMap(narrowType).first,
      !Self.readingOperators.contains(node.operation)
    else { return outputNarrowTypes ?? [] }
    guard Self.movingOperators.contains(node.operation) else {
      throw unsupported(
        "computes with \(type.name), and elements of that type can only be moved, quantized and "
          + "converted to other types")
    }
    return [narrowType(0)]
  }

  /// Returns numbers truncated towards 0, of which the lowest bits are kept, as ONNX converts to
  /// integers of less than 8 bits.
  private mutating func narrowed(
    _ value: ONNXValue, to type: ONNXNarrowType
  ) throws(WeighbridgeError) -> ONNXValue {
    var integers = value
    switch self.type(value).elementType {
    case let float where float.isFloat:
      decide("converts to \(type.name) by truncation, as ONNX says (onnxruntime rounds)")
      integers = try apply(Cast(to: .int32), to: value, role: "truncate")
    case .bool: integers = try apply(Cast(to: .uint8), to: value, role: "integers")
    default: break
    }
    let modulo = BinaryMath(.floorModulo)
    let count = Double(1 << type.bits)
    let lowBits = try apply(
      modulo, to: integers, number(count, like: integers, "count"), role: "low_bits")
    guard type.isSigned else { return try apply(Cast(to: type.elementType), to: lowBits) }
    let wide = try apply(Cast(to: .int32), to: lowBits, role: "wide")
    let half = number(count / 2, like: wide, "half")
    let shifted = try apply(Add(), to: wide, half, role: "shift")
    let wrapped = try apply(
      modulo, to: shifted, number(count, like: wide, "wide_count"), role: "wrap")
    let signed = try apply(Subtract(), to: wrapped, half, role: "sign")
    return try apply(Cast(to: type.elementType), to: signed)
  }

  /// Converts a value to the type with a number in ONNX.
  mutating func cast(
    _ value: ONNXValue, toTypeNumbered number: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let saturates = try flag("saturate", default: true)
    let mode = try string("round_mode", default: "up")
    if let type = ONNXNarrowType(rawValue: number) {
      outputNarrowTypes = [type]
      guard let format = type.format else { return try narrowed(value, to: type) }
      return try rounded(value, to: format, mode, saturates: saturates)
    }
    guard let type = ElementType(onnxNumber: number) else {
      throw unsupported(
        "converts to \(ElementType.onnxName(number)), and only conversions to integers of 2 to 64 "
          + "bits, floating-point numbers of 4 to 64 bits and booleans can be read")
    }
    if self.type(value).elementType == type { return value }
    // Files written by TensorFlow's tools cast shapes to int32 and back.
    if case .dimensions(let dimensions, let isList, _) = value, [.int32, .int64].contains(type) {
      return .dimensions(dimensions, isList: isList, as: type)
    }
    return try apply(Cast(to: type), to: value)
  }
}
