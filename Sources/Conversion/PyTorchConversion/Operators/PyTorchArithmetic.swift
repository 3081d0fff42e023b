import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elementwise arithmetic, comparisons and logic.
enum PyTorchArithmetic {
  static let rows: [PyTorchRow] =
    chains + [
      PyTorchRow(expression: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        switch operation.function {
        case .negative: "-\(builder[0])"
        default: "torch.\(unary(operation.function))(\(builder[0]))"
        }
      },
      PyTorchRow(expression: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        let (first, second) = (builder[0], builder[1])
        let isFloat = first.type.elementType.isFloat
        switch operation.function {
        case .divide: return "\(builder.term(0)) / \(builder.term(1))"
        case .floorDivide: return try builder.floorOfQuotient()
        case .power where !isFloat || !builder.isNumber(1): return "torch.pow(\(first), \(second))"
        case .power: return "\(first) ** \(builder.term(1))"
        default:
          return binaries[operation.function].map { "torch.\($0)(\(first), \(second))" }
        }
      },
      PyTorchRow(expression: Comparison.self) {
        "\($1.term(0)) \(symbols[$0.relation] ?? "==") \($1.term(1))"
      },
      PyTorchRow(expression: Where.self) { (_, builder) throws(WeighbridgeError) in
        "torch.where(\(builder[0]), \(builder[1]), \(builder[2]))"
      },
      PyTorchRow(expression: LogicalNot.self) { "~\($1[0])" },
      PyTorchRow(expression: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
        guard operation.isPrimitive else { return nil }
        let (scale, offset) = (operation.scale[0], operation.offset[0])
        if scale == 1 { return "\(builder[0]) + \(offset)" }
        return offset == 0
          ? "\(builder[0]) * \(scale)" : "\(builder[0]) * \(scale) + \(offset)"
      },
      PyTorchRow(expression: Clip.self) { (operation, builder) throws(WeighbridgeError) in
        let minimum = operation.minimum > -.infinity ? ["min=\(operation.minimum.python)"] : []
        let maximum = operation.maximum < .infinity ? ["max=\(operation.maximum.python)"] : []
        let bounds = (minimum + maximum).joined(separator: ", ")
        return bounds.isEmpty ? "\(builder[0])" : "\(builder[0]).clamp(\(bounds))"
      },
      PyTorchRow(expression: Cast.self) { (operation, builder) throws(WeighbridgeError) in
        operation.overflow == .saturate
          ? nil : "\(builder[0]).to(\(builder.typeName(operation.elementType)))"
      },
      PyTorchRow(expression: BitCast.self) { (operation, builder) throws(WeighbridgeError) in
        "\(builder[0]).view(\(builder.typeName(operation.elementType)))"
      },
      PyTorchRow(expression: FullLike.self) { (operation, builder) throws(WeighbridgeError) in
        let type = builder.type().elementType
        let number =
          type.isFloat
          ? operation.value.python
          : type == .bool
            ? PythonLiteral.bool(operation.value != 0) : "\(Int(exactly: operation.value) ?? 0)"
        return "torch.full_like(\(builder[0]), \(number))"
      },
      PyTorchRow(expression: MatMul.self) { (operation, builder) throws(WeighbridgeError) in
        let first: PythonExpression =
          operation.transposeA ? "\(builder[0]).transpose(-1, -2)" : "\(builder[0])"
        let second: PythonExpression =
          operation.transposeB ? "\(builder[1]).transpose(-1, -2)" : "\(builder[1])"
        return "torch.matmul(\(first), \(second))"
      },
    ]

  private static let chains: [PyTorchRow] = [
    .chain(Add.self, "+"), .chain(Multiply.self, "*"), .chain(Subtract.self, "-"),
    .chain(LogicalAnd.self, "&"), .chain(LogicalOr.self, "|"),
    .nested(Maximum.self, "torch.maximum"), .nested(Minimum.self, "torch.minimum"),
  ]

  private static let binaries: [BinaryMath.Function: String] = [
    .floorModulo: "remainder", .truncatedModulo: "fmod", .arcTangent2: "atan2",
    .hypotenuse: "hypot", .logAddExp: "logaddexp",
  ]

  private static let symbols: [Comparison.Relation: String] = [
    .equal: "==", .notEqual: "!=", .less: "<", .lessOrEqual: "<=", .greater: ">",
    .greaterOrEqual: ">=",
  ]

  /// The name of a function in `torch`, where it differs from that in the catalog.
  private static func unary(_ function: UnaryMath.Function) -> String {
    switch function {
    case .absolute: "abs"
    case .arcSine: "asin"
    case .arcCosine: "acos"
    case .arcTangent: "atan"
    case .inverseHyperbolicSine: "asinh"
    case .inverseHyperbolicCosine: "acosh"
    case .inverseHyperbolicTangent: "atanh"
    default: function.rawValue
    }
  }
}

extension Double {
  /// The number as Python has it.
  var python: String { PythonLiteral.number(self) }
}

extension PyTorchRow {
  /// Creates a row for an operator that combines its inputs from left to right.
  fileprivate static func chain<Operation: CatalogOperator>(
    _ type: Operation.Type, _ symbol: String
  ) -> PyTorchRow {
    PyTorchRow(expression: type) { (_, builder) throws(WeighbridgeError) in
      var result = builder.term(0)
      for position in builder.operands.indices.dropFirst() {
        let term = builder.term(position)
        let left = position > 1 && symbol == "*" ? "(\(result))" as PythonExpression : result
        result = "\(left) \(symbol) \(term)"
      }
      return result
    }
  }

  /// Creates a row for a function of two tensors that combines all.
  fileprivate static func nested<Operation: CatalogOperator>(
    _ type: Operation.Type, _ function: String
  ) -> PyTorchRow {
    PyTorchRow(expression: type) { (_, builder) throws(WeighbridgeError) in
      var result: PythonExpression = "\(builder[0])"
      for operand in builder.operands.dropFirst() {
        result = "\(function)(\(result), \(operand))"
      }
      return result
    }
  }
}

extension PyTorchBuilder {
  /// The quotient rounded down, of floating-point numbers after it is rounded to their type.
  fileprivate func floorOfQuotient() throws(WeighbridgeError) -> PythonExpression {
    let type = self[0].type.elementType
    guard type.isFloat else {
      return "torch.div(\(self[0]), \(self[1]), rounding_mode=\"floor\")"
    }
    guard replacedTypes.contains(type) else { return "torch.floor(\(self[0]) / \(self[1]))" }
    guard type != .float64 else {
      throw .unsupported(
        "divides float64, and the floor of a quotient may differ in float32, in which the module "
          + "computes")
    }
    let narrow = PythonLiteral.type(type)
    return "torch.floor(\(self[0]).to(\(narrow)) / \(self[1]).to(\(narrow))).to(torch.float32)"
  }

  /// Whether an input is a number, which is written as such.
  func isNumber(_ position: Int) -> Bool {
    guard let tensor = self[position].constant, tensor.count == 1, tensor.elementType != .bool,
      operands.contains(where: { $0.constant == nil && $0.type.rank >= tensor.shape.count })
    else { return false }
    return !tensor.elementType.isFloat || !isTrainable(self[position].name)
  }

  /// An operand of a symbol: a number where a constant has one element.
  func term(_ position: Int) -> PythonExpression {
    guard isNumber(position), let tensor = self[position].constant else {
      return "\(self[position])"
    }
    let number =
      tensor.elementType.isFloat
      ? tensor.doubles[0].python : "\(tensor.wrappedIntegers[0])"
    return number.hasPrefix("-") ? "(\(number))" : "\(number)"
  }
}
