import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Comparisons and Boolean logic.
enum ONNXLogic: ONNXFamily {
  /// The relations that are a single ONNX operator each.
  private static let relations: [String: Comparison.Relation] = [
    "Equal": .equal, "Greater": .greater, "GreaterOrEqual": .greaterOrEqual, "Less": .less,
    "LessOrEqual": .lessOrEqual,
  ]

  static let rows: [ONNXRow] = [
    ONNXRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = builder.allInputs()
      guard let node = relations.first(where: { $0.value == operation.relation }) else {
        return builder.add("Not", [builder.add("Equal", inputs)])
      }
      return builder.add(node.key, inputs)
    },
    ONNXRow(LogicalAnd.self, chain: "And"), ONNXRow(LogicalOr.self, chain: "Or"),
    ONNXRow(LogicalNot.self, is: "Not"), ONNXRow(Where.self, is: "Where"),
  ]

  static let nodes = [String: ONNXLayer.Build](families: [
    relations.filter { $0.key != "Equal" }.mapValues { relation in
      combining { Comparison(relation) }
    }, booleans,
  ])

  private static let booleans: [String: ONNXLayer.Build] = [
    "And": combining { LogicalAnd() },
    "IsInf": { (layer) throws(WeighbridgeError) in
      let detects = (
        try layer.flag("detect_positive", default: true),
        try layer.flag("detect_negative", default: true)
      )
      let input = try layer.input()
      let detectsOneSign = detects.0 != detects.1
      let magnitude =
        detectsOneSign
        ? input : try layer.apply(UnaryMath(.absolute), to: input, role: "size")
      let infinity = detects.1 && detectsOneSign ? -Double.infinity : detects.0 ? .infinity : .nan
      return try layer.apply(
        Comparison(.equal), [magnitude, layer.number(infinity, like: input, "infinity")])
    },
    "IsNaN": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return try layer.apply(Comparison(.notEqual), [input, input])
    },
    "Not": unary { LogicalNot() },
    "Or": combining { LogicalOr() },
    "Trilu": { (layer) throws(WeighbridgeError) in try layer.trilu() },
    "Xor": { (layer) throws(WeighbridgeError) in
      // The exclusive or of Booleans is "not equal".
      let numbers = try layer.aligned(try layer.allInputs()).enumerated().map {
        (position, value) throws(WeighbridgeError) in
        try layer.apply(Cast(to: .int32), to: value, role: "number_\(position)")
      }
      return try layer.apply(Comparison(.notEqual), numbers)
    },
  ]
}

extension ONNXLayer {
  /// Adds the matrices of the last two axes with zeros below or above a diagonal.
  fileprivate mutating func trilu() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let isUpper = try flag("upper", default: true)
    let given = try optional(1)
    let diagonal = given.map { $0.tensor?.integers.first } ?? 0
    let type = type(input)
    guard type.rank >= 2, diagonal.map((-1 << 24...1 << 24).contains) ?? true,
      given.map({ isNumber($0, .int64) }) ?? true
    else {
      throw malformed(
        "takes a triangle of \(type) from the diagonal \(diagonal ?? 0), expected matrices and at most 2^24"
      )
    }
    let dimensions = type.shape.suffix(2).compactMap(\.value)
    let triangle: ONNXValue
    if dimensions.count == 2, let diagonal {
      let count = try Checked.product(dimensions, of: "a matrix")
      try network.countConstant(TensorType(.bool, dimensions), byteCount: count)
      let isKept = (0..<count).map { index in
        let distance = index % dimensions[1] - index / dimensions[1]
        return (isUpper ? distance >= diagonal : distance <= diagonal) ? 1.0 : 0
      }
      triangle = newConstant(Tensor(.bool, shape: dimensions, isKept), "triangle")
    } else {
      let rows = try indices(along: type.rank - 2, of: input, role: "rows")
      let columns = try indices(along: type.rank - 1, of: input, role: "columns")
      let distance = try apply(
        Subtract(), to: try apply(ExpandDims(axes: [0]), to: columns, role: "columns/row"),
        try apply(ExpandDims(axes: [1]), to: rows, role: "rows/column"), role: "distance")
      let limit =
        if let given, diagonal == nil {
          try apply(ReshapeAxes([.fixed(1), .fixed(1)]), to: given, role: "diagonal")
        } else {
          number(Double(diagonal ?? 0), like: distance, "diagonal")
        }
      triangle = try apply(
        Comparison(isUpper ? .greaterOrEqual : .lessOrEqual), to: distance, limit,
        role: "triangle")
    }
    let values = try aligned([
      triangle, input, newConstant(Tensor(type.elementType, shape: [], [0]), "zero"),
    ])
    return try apply(Where(), values)
  }
}
