import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators on the bits of integers.
enum ONNXBits: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(native: BitwiseMath.self) { (operation, builder) throws(WeighbridgeError) in
      switch operation.function {
      case .and: builder.bitwise("BitwiseAnd")
      case .or: builder.bitwise("BitwiseOr")
      case .xor: builder.bitwise("BitwiseXor")
      case .leftShift, .rightShift: nil  // of negative numbers, onnxruntime has none
      }
    },
    ONNXRow(
      BitCast.self,
      unsupported:
        "reads bits as another type, which ONNX has from opset 26 on, and 23 can be written"),
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "BitCast": { (layer) throws(WeighbridgeError) in
      guard let number = try layer.integer("to") else {
        throw layer.malformed("has no attribute to, which names the type of the same bits")
      }
      return [try layer.bitCast(try layer.input(), toTypeNumbered: number)]
    },
    "BitShift": { (layer) throws(WeighbridgeError) in
      let direction = try layer.string("direction", default: "")
      guard ["LEFT", "RIGHT"].contains(direction) else {
        throw layer.malformed("has the direction \(direction), and LEFT or RIGHT is expected")
      }
      return try layer.apply(
        BitwiseMath(direction == "LEFT" ? .leftShift : .rightShift),
        try layer.aligned([try layer.input(0), try layer.input(1)]))
    },
    "BitwiseAnd": combining { BitwiseMath(.and) },
    "BitwiseNot": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let type = layer.type(input)
      let ones = Tensor(
        type.elementType, shape: [Int](repeating: 1, count: type.rank),
        bytes: [UInt8](repeating: 0xFF, count: type.elementType.byteCount))
      return [
        try layer.apply(BitwiseMath(.xor), to: input, layer.newConstant(ones, "all_bits"))
      ]
    },
    "BitwiseOr": combining { BitwiseMath(.or) },
    "BitwiseXor": combining { BitwiseMath(.xor) },
  ]
}

extension ONNXGraphBuilder {
  /// Adds a bitwise node, which opsets from 18 on have.
  fileprivate mutating func bitwise(_ node: String) -> String? {
    opset >= 18 ? add(node, allInputs()) : nil
  }
}

extension ONNXLayer {
  /// Reads the bits of numbers as another type of the same size.
  fileprivate mutating func bitCast(
    _ value: ONNXValue, toTypeNumbered number: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = type(value).elementType
    guard let target = ElementType(onnxNumber: number), target != .bool || type == .bool
    else {
      throw unsupported(
        "reads the bits of \(type.rawValue) as \(ElementType.onnxName(number)), and only those of numbers can be read as "
          + "other numbers")
    }
    guard type.byteCount == target.byteCount else {
      throw malformed(
        "reads the bits of \(type.rawValue) as \(target.rawValue), which has another number of bits"
      )
    }
    if type == target { return value }
    // Integers keep their bits in a conversion, too, which more targets have.
    return type.isFloat || target.isFloat
      ? try apply(BitCast(to: target), to: value) : try apply(Cast(to: target), to: value)
  }
}
