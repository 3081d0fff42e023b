import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Comparisons and booleans.
enum ONNXLogic: ONNXFamily {
  /// The relations that are a single ONNX operator each.
  private static let relations: [String: Comparison.Relation] = [
    "Equal": .equal, "Greater": .greater, "GreaterOrEqual": .greaterOrEqual, "Less": .less,
    "LessOrEqual": .lessOrEqual,
  ]

  static let rows: [ONNXRow] = [
    ONNXRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = builder.allInputs()
      guard let own = relations.first(where: { $0.value == operation.relation }) else {
        return builder.add("Not", [builder.add("Equal", inputs)])
      }
      return builder.add(own.key, inputs)
    },
    ONNXRow(LogicalAnd.self, chain: "And"), ONNXRow(LogicalOr.self, chain: "Or"),
    ONNXRow(LogicalNot.self, is: "Not"), ONNXRow(Where.self, is: "Where"),
  ]

  static let nodes = [String: ONNXLayer.Build](families: [
    relations.mapValues { relation in combining { Comparison(relation) } }, booleans,
  ])

  private static let booleans: [String: ONNXLayer.Build] = [
    "And": combining { LogicalAnd() },
    "IsInf": { (layer) throws(WeighbridgeError) in
      let finds = (
        try layer.flag("detect_positive", default: true),
        try layer.flag("detect_negative", default: true)
      )
      let input = try layer.input()
      let isOne = finds.0 != finds.1
      let number = isOne ? input : try layer.apply(UnaryMath(.absolute), to: input, role: "size")
      let end = finds.1 && isOne ? -Double.infinity : finds.0 ? .infinity : .nan
      return try layer.apply(
        Comparison(.equal), [number, layer.number(end, like: input, "infinity")])
    },
    "IsNaN": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return try layer.apply(Comparison(.notEqual), [input, input])
    },
    "Not": plain { LogicalNot() },
    "Or": combining { LogicalOr() },
    "Trilu": { (layer) throws(WeighbridgeError) in try layer.triangle() },
    "Where": combining { Where() },
    "Xor": { (layer) throws(WeighbridgeError) in
      // For booleans, Xor means not equal.
      let numbers = try layer.aligned(try layer.allInputs()).enumerated().map {
        (position, value) throws(WeighbridgeError) in
        try layer.apply(Cast(to: .int32), to: value, role: "number_\(position)")
      }
      return try layer.apply(Comparison(.notEqual), numbers)
    },
  ]
}

extension ONNXLayer {
  /// The matrices of the last two axes, with zeros below or above a diagonal.
  fileprivate mutating func triangle() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let isUpper = try flag("upper", default: true)
    let diagonal = try constant(1)?.integers.first ?? 0
    let type = type(input)
    let dimensions = type.shape.suffix(2).compactMap(\.value)
    guard dimensions.count == 2, (-1 << 24...1 << 24).contains(diagonal) else {
      throw unsupported("a Trilu of \(type)")
    }
    let count = try Checked.product(dimensions, of: "a matrix")
    try network.countConstant(TensorType(.bool, dimensions), byteCount: count)
    let isKept = (0..<count).map { place in
      let distance = place % dimensions[1] - place / dimensions[1]
      return (isUpper ? distance >= diagonal : distance <= diagonal) ? 1.0 : 0
    }
    let values = try aligned([
      own(Tensor(.bool, shape: dimensions, isKept), "triangle"), input,
      own(Tensor(type.elementType, shape: [], [0]), "zero"),
    ])
    return try apply(Where(), values)
  }
}
