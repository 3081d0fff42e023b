import Bytes
import GraphIR
import LayerCatalog

/// How a node depends on the last digits of the floating-point numbers that it takes.
struct MILSensitivity {
  /// Whether a small change of an input may change the output much.
  private(set) var jumps = false
  /// Whether the last digits of a product with weights decide over its output: the sign of a number
  /// near 0, or a share of a sum near 0.
  private(set) var decidesByProducts = false
  /// Whether it computes with numbers that may leave the range of float16, such as sums of squares.
  private(set) var isWide = false
  /// Whether its results may leave the range.
  private(set) var mayGiveLarge = false
  /// Whether the outputs are whole numbers, as floating-point numbers.
  private(set) var givesWhole = false
  /// Whether it moves, adds or multiplies numbers: whole ones stay so, and large ones large.
  private(set) var keeps = false
  /// Whether it gives fractions of whole numbers.
  private(set) var divides = false
  /// Whether it multiplies matrices, usually by weights.
  private(set) var isProduct = false
  /// The input that holds indices, which are sensitive; what is taken by them is moved.
  private(set) var indexInput: Int?

  /// - Returns: `nil` for what is not described.
  init?(of node: Node, in graph: Graph) {
    guard let operation = node.operation as? any CatalogOperator else { return nil }
    let inputs = node.inputs.map { graph[$0] }
    guard !(operation is any WeightMultiplyingOperator) else {
      isProduct = true
      return
    }
    givesWhole =
      graph[node.outputs[0]].type.elementType.isFloat && Self.givesWhole(operation, inputs)
    keeps =
      operation is any ExactOperator || Self.keeping.contains(operation.kind)
      || !Self.isBounded(operation)
    divides = operation is Rescaling || (operation as? BinaryMath)?.function == .divide
    mayGiveLarge = Self.mayGiveLarge(operation)
    isWide = mayGiveLarge || Self.wide.contains(operation.kind)
    if !operation.subgraphs.isEmpty { (jumps, isWide, mayGiveLarge) = (true, true, true) }
    switch operation {
    case is any SubgraphOperator: break
    case is Embedding: indexInput = 0
    case is Gather, is GatherElements: indexInput = 1
    default:
      let takesFloats = inputs.contains { $0.type.elementType.isFloat && $0.constant == nil }
      decidesByProducts = operation is Binarization || operation is SumNormalization
      jumps = takesFloats && (decidesByProducts || Self.jumps(operation, inputs, node.source))
    }
  }

  /// Operators with sums of squares, or of many numbers.
  private static let wide: Set = Set(
    [
      LayerNormalization.kind, GroupNormalization.kind, RMSNormalization.kind,
      UnitNormalization.kind, LocalResponseNormalization.kind, CumSum.kind,
    ])

  private static let keeping: Set = Set(
    [
      Add.kind, Subtract.kind, Multiply.kind, Maximum.kind, Minimum.kind, Reduce.kind,
      CumSum.kind, CumProd.kind, Average.kind, AveragePooling.kind, GlobalAveragePooling.kind,
      ReLU.kind, LeakyReLU.kind, Clip.kind, Rescaling.kind,
    ])

  /// Whether it is no function of numbers, or one whose results are in a small range.
  private static func isBounded(_ operation: any CatalogOperator) -> Bool {
    switch operation {
    case let math as UnaryMath:
      [
        .sine, .cosine, .arcSine, .arcCosine, .arcTangent, .errorFunction,
        .complementaryErrorFunction,
      ]
      .contains(math.function)
    case let math as BinaryMath: math.function == .arcTangent2
    default: true
    }
  }

  private static func mayGiveLarge(_ operation: any CatalogOperator) -> Bool {
    switch operation {
    case is Exponential, is CumProd: true
    case let reduce as Reduce: reduce.function == .product
    case let math as BinaryMath: math.function == .power || math.function == .squaredDifference
    case let math as UnaryMath:
      [
        .square, .exponential2, .exponentialMinusOne, .tangent, .hyperbolicSine, .hyperbolicCosine,
      ].contains(math.function)
    default: false
    }
  }

  /// Continuous functions that are composed of comparisons.
  private static let continuous: Set = Set(
    [
      ELU.kind, SELU.kind, CELU.kind, LeakyReLU.kind, PReLU.kind, Clip.kind, HardSigmoid.kind,
      HardSwish.kind, SoftShrink.kind, PiecewiseLinear.kind, Softmax.kind,
    ])

  private static let functions: Set<UnaryMath.Function> = [
    .sign, .floor, .ceiling, .round, .truncate, .sine, .cosine, .tangent, .logarithmOfOnePlus,
    .exponentialMinusOne,
  ]
  private static let wholeFunctions: Set<UnaryMath.Function> = [
    .floor, .ceiling, .round, .truncate,
  ]

  private static func givesWhole(_ operation: any CatalogOperator, _ inputs: [Value]) -> Bool {
    switch operation {
    case is Cast:
      let type = inputs[0].type.elementType
      return !type.isFloat && type != .bool
    case is Shape, is any ArgumentReduction, is CategoryEncoding: return true
    case let math as UnaryMath: return wholeFunctions.contains(math.function)
    case let math as BinaryMath: return math.function == .floorDivide
    default: return false
    }
  }

  private static func jumps(
    _ operation: any CatalogOperator, _ inputs: [Value], _ source: SourceScope
  ) -> Bool {
    switch operation {
    case is Comparison, is any ArgumentReduction, is Sort, is OneHot, is NonMaxSuppression,
      is BoxSelection, is NonZero:
      return true
    case let cast as Cast: return !cast.elementType.isFloat
    case let relu as ReLU: return relu.threshold != 0
    case let math as UnaryMath: return functions.contains(math.function)
    case let math as BinaryMath: return math.function != .divide && math.function != .hypotenuse
    default: break
    }
    // A composition jumps where one of its parts does.
    guard !continuous.contains(operation.kind),
      let parts = try? operation.decomposition.graph(inputs, source: source)
    else { return false }
    return parts.nodes.contains { MILSensitivity(of: $0, in: parts)?.jumps ?? false }
  }
}
