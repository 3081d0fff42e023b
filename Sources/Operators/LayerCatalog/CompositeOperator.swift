package import Bytes
package import GraphIR

/// An operator that is defined by its decomposition: its reference kernel follows from those of the
/// decomposition's nodes, and so does its shape rule, unless sizes that are not known yet need one of
/// their own.
package protocol CompositeOperator: CatalogOperator {
  /// Expresses the operator in terms of others and returns its outputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the inputs do not fit;
  ///   ``WeighbridgeError/Code/unsupported`` when a dynamic size must be known.
  func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID]
}

/// A composite operator with one output.
package protocol FormulaOperator: CompositeOperator {
  /// Expresses the output in terms of other operators, as ``CompositeOperator/compose(_:)``.
  func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID
}

extension FormulaOperator {
  package func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    [try formula(&make)]
  }
}

extension CompositeOperator {
  package var decomposition: Decomposition { Composition.outputs(for: self, compose) }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    if let problem = Self.definition.inputProblems(of: self, inputs).first {
      throw ShapeError("\(problem), which \(kind) does not take")
    }
    do throws(WeighbridgeError) {
      let graph = try decomposed(inputs)
      return graph.outputs.map { graph[$0.value].type }
    } catch { throw ShapeError(error.reason) }
  }

  /// Evaluates the decomposition in float64 and rounds the outputs only, as reference kernels do. An
  /// operator that rounds nothing is evaluated in the types of its inputs.
  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let types: [TensorType]
    do throws(ShapeError) {
      types = try outputTypes(of: inputs.map(\.type))
    } catch { throw .mismatch(error.reason) }
    let formula = try decomposed(inputs.map(\.type))
    if let operation = formula.onlyOperation {
      return try operation.evaluate(inputs, workers: workers)
    }
    let isRounded = !(self is any ExactOperator)
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
    let outer = OpenDecompositions.kinds
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
    let source = SourceScope(layer: kind, className: kind)
    var make = Composition(of: self, inputs: values, graph: builder, source: source)
    let outputs = try compose(&make)
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

extension Decomposition {
  /// The nodes as a graph with the operator's outputs; `nil` for a primitive.
  ///
  /// - Parameter inputs: The operator's inputs; those with constants become weights of the graph,
  ///   the others its inputs.
  package func graph(
    _ inputs: [Value], source: SourceScope
  ) throws(WeighbridgeError) -> Graph? {
    guard case .nodes(let build) = self else { return nil }
    var builder = GraphBuilder()
    var values: [ValueID] = []
    for input in inputs {
      if let constant = input.constant {
        values.append(try builder.addWeight(input.name, constant))
      } else {
        values.append(try builder.addInput(input.name, input.type))
      }
    }
    let outputs = try build(&builder, values, source)
    return try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "output \($0)", value: $1) })
  }
}
