import Bytes
import GraphIR

/// What follows from the decomposition of a composite operator: a type of its own, so that it is compiled
/// once and not for each operator.
struct DecomposedOperator {
  let operation: any CompositeOperator

  /// The shape rule.
  func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    if let problem = type(of: operation).definition.inputProblems(of: operation, inputs).first {
      throw ShapeError("\(problem), which \(operation.kind) does not take")
    }
    do throws(WeighbridgeError) {
      let graph = try decomposed(inputs)
      return graph.outputs.map { graph[$0.value].type }
    } catch { throw ShapeError(error.reason) }
  }

  /// Evaluates the decomposition in float64 and rounds the outputs only, as reference kernels do. An
  /// operator that rounds nothing is evaluated in the types of its inputs.
  func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.outputTypes(of: inputs.map(\.type))
    } catch { throw .mismatch(error.reason) }
    let formula = try decomposed(inputs.map(\.type))
    if let only = formula.onlyOperation {
      return try only.evaluate(inputs, workers: workers)
    }
    let isRounded = !(operation is any ExactOperator)
    let operandTypes = inputs.map {
      TensorType(isRounded && $0.elementType.isFloat ? .float64 : $0.elementType, $0.shape)
    }
    let elementTypes = types.map(\.elementType)
    let graph = try decomposed(operandTypes)
    guard let sections = Sections(of: graph, inputs) else {
      return try graph.evaluated(inputs, rounding: elementTypes, workers: workers)
    }
    return try sections.evaluate(workers) { (inputs) throws(WeighbridgeError) in
      let operandTypes = zip(operandTypes, inputs).map { TensorType($0.elementType, $1.shape) }
      return try decomposed(operandTypes)
        .evaluated(inputs, rounding: elementTypes, workers: Workers(count: 1))
    }
  }

  /// The decomposition for inputs of given types.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it names the operator, also through others.
  func decomposed(_ types: [TensorType]) throws(WeighbridgeError) -> Graph {
    let (outer, kind) = (OpenDecompositions.kinds, operation.kind)
    if let start = outer.firstIndex(of: kind) {
      let others = outer[(start + 1)...].joined(separator: " and ")
      throw .malformed(
        "the decomposition of \(kind) names \(kind) itself, through \(others), "
          + "and must end in other operators")
    }
    return try OpenDecompositions.$kinds.withValue(outer + [kind]) {
      Result { () throws(WeighbridgeError) in try composed(types) }
    }.get()
  }

  private func composed(_ types: [TensorType]) throws(WeighbridgeError) -> Graph {
    var builder = GraphBuilder()
    var values: [ValueID] = []
    for (position, type) in types.enumerated() {
      values.append(try builder.addInput("input \(position)", type))
    }
    let source = SourceScope(layer: operation.kind, className: operation.kind)
    var make = Composition(of: operation, inputs: values, graph: builder, source: source)
    let outputs = try operation.compose(&make)
    return try make.finish(outputs)
  }
}

/// The operators whose decompositions are being built, each for the one before.
private enum OpenDecompositions {
  @TaskLocal static var kinds: [String] = []
}

extension Graph {
  /// The operator if there is only one, of the graph's inputs.
  fileprivate var onlyOperation: (any CatalogOperator)? {
    guard nodes.count == 1, nodes[0].inputs == inputs.map(\.value),
      nodes[0].outputs == outputs.map(\.value)
    else { return nil }
    return nodes[0].operation as? any CatalogOperator
  }
}

extension DecomposedOperator {
  /// The decomposition as one function; `nil` if not all of its nodes compute element by element.
  func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    let inputs = types.map { TensorType($0.isFloat ? .float64 : $0, [1]) }
    guard let graph = try? decomposed(inputs) else { return nil }
    let (ids, output) = (graph.inputs.map(\.value), graph.outputs[0].value)
    if let input = ids.firstIndex(of: output) { return { operands in operands[input] } }
    var program = PointwiseProgram()
    for node in graph.nodes {
      guard let function = graph.pointwiseFunction(of: node) else { return nil }
      program.append(node, function)
    }
    let constants = program.operands.map { graph[$0].constant?.doubles }
    let positions = program.operands.map { ids.firstIndex(of: $0) ?? 0 }
    guard let result = program.results.firstIndex(of: output),
      constants.allSatisfy({ $0?.count ?? 1 == 1 })
    else { return nil }
    return { [program] operands in
      let elements = zip(constants, positions).map { constant, position in
        constant.map { [Double](repeating: $0[0], count: operands[0].count) } ?? operands[position]
      }
      return program(elements)[result]
    }
  }
}
