package import Bytes
package import GraphIR
import LayerCatalog

/// Loops and branches whose bodies are subgraphs, since only a run of the model decides what is computed.
extension ValueLayer {
  /// Returns a value of one element without axes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a value of another type or with several elements.
  package mutating func single(
    _ value: SourceValue, _ elementType: ElementType, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let type = type(value)
    guard type.elementType == elementType,
      type.shape.allSatisfy({ $0.value.map { $0 == 1 } ?? true })
    else {
      throw malformed("has \(type) as its \(role), expected one element of \(elementType.rawValue)")
    }
    return type.rank == 0 ? value : try apply(ReshapeAxes([]), to: value, role: role)
  }

  /// Adds branches of which one is chosen by a condition that is known only when the model runs: as subgraphs, or,
  /// where both can be computed in any case and give the same types, one beside the other, which every target can
  /// express.
  ///
  /// - Parameters:
  ///   - condition: bool `[]`
  ///   - branches: What is computed if the condition is met, and what otherwise.
  ///   - mayComputeBoth: Whether both may be computed.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` if their outputs differ in their element types or numbers of
  ///   axes.
  package mutating func branched(
    by condition: SourceValue, _ branches: [ValueSubgraph], mayComputeBoth: Bool = true
  ) throws(WeighbridgeError) -> [SourceValue] {
    let types = branches.map(\.outputTypes)
    let isAlike = types[0].elementsEqual(types[1]) {
      $0.elementType == $1.elementType && $0.rank == $1.rank
    }
    guard isAlike else {
      throw unsupported(
        "one of its branches gives \(types[0]) and the other \(types[1]), expected the same element types and "
          + "numbers of axes")
    }
    var branches = branches
    for index in branches.indices { try moveWeights(of: &branches[index]) }
    let givesSameTypes =
      types[0] == types[1] && types[0].allSatisfy { !$0.shape.contains(.unknown) }
    if givesSameTypes, mayComputeBoth,
      branches.allSatisfy({ $0.operations.allSatisfy { $0.isTotal(of: $1) } })
    {
      return try chosen(by: condition, try inline(branches[0]), try inline(branches[1]))
    }
    let outside = outside(of: branches)
    let conditional = Conditional(
      first: try branches[0].subgraph(passing: outside),
      second: try branches[1].subgraph(passing: outside), capturedCount: outside.count)
    return try add(conditional, [condition], outside)
  }

  /// Adds a loop whose body is a subgraph.
  ///
  /// - Parameters:
  ///   - maximum: The largest number of steps, int64 `[]`; by default as many as a loop may have.
  ///   - condition: Whether there is a first step, bool `[]`.
  ///   - states: The states before the first step.
  ///   - build: Builds the body, which is given the number of the step and the states, and returns the condition
  ///     for the next step, the states, and what is collected.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` if a step changes the number of axes or the elements of a
  ///   state.
  package mutating func loop(
    upTo maximum: SourceValue? = nil, while condition: SourceValue, _ states: [SourceValue],
    body build: (inout Self, _ given: [(name: String, type: TensorType)]) throws(WeighbridgeError)
      -> ValueSubgraph
  ) throws(WeighbridgeError) -> [SourceValue] {
    var types = states.map { type($0) }
    var bodies: [ValueSubgraph] = []
    // A size that a step changes is unknown in all steps; what follows from it is known after another attempt.
    for attempt in 0..<4 where bodies.isEmpty {
      let body = try build(
        &self,
        [("step", TensorType(.int64, [Int]()))] + types.enumerated().map { ("state_\($0)", $1) })
      let newTypes = Array(body.outputTypes[1..<1 + states.count])
      let merged = zip(types, newTypes).map { old, new in
        let isAgain = attempt > 0  // then no size of the state is taken for known
        return old == new || old.rank != new.rank
          ? old
          : old.with(
            shape: zip(old.shape, new.shape).map { $0 == $1 && !isAgain ? $0 : .unknown })
      }
      for (position, (old, new)) in zip(types, newTypes).enumerated()
      where old.rank != new.rank || old.elementType != new.elementType {
        throw unsupported(
          "changes the state \(position) from \(old) to \(new), and elements and number of axes must stay"
        )
      }
      if merged == types { bodies.append(body) }
      types = merged
    }
    guard var body = bodies.first else {
      throw unsupported("has states whose shapes cannot be determined: \(types)")
    }
    try moveWeights(of: &body)
    let outside = outside(of: [body])
    let operation = Loop(
      body: try body.subgraph(passing: outside), stateCount: states.count,
      capturedCount: outside.count)
    let maximum =
      maximum ?? newConstant(Tensor(wrapping: .int64, shape: [], [Int64.max]), "maximum")
    return try add(operation, [maximum, condition] + states, outside)
  }

  /// The values that bodies read from the graph around them, each once, with their types.
  private func outside(of bodies: [ValueSubgraph]) -> [(id: ValueID, type: TensorType)] {
    var seen: Set<ValueID> = []
    return bodies.flatMap(\.outside).filter { seen.insert($0).inserted }.map {
      ($0, network.graph.type(of: $0))
    }
  }

  /// Adds an operator that runs subgraphs.
  private mutating func add(
    _ operation: some SubgraphOperator, _ inputs: [SourceValue],
    _ outside: [(id: ValueID, type: TensorType)]
  ) throws(WeighbridgeError) -> [SourceValue] {
    if let problem = operation.problem { throw unsupported(problem) }
    var ids: [ValueID] = []
    for input in inputs { ids.append(try network.id(input, source)) }
    return try network.add(
      operation, ids + outside.map(\.id), source, outputNames: outputNames
    ).map { .computed($0) }
  }
}

extension Operator {
  /// Whether it can be computed of any elements of some types. Indices may lie beyond the end of an axis, sizes may
  /// not fit, and integers may be divided by 0.
  fileprivate func isTotal(of types: [TensorType]) -> Bool {
    let takesIndices = inputs.contains { if case .indices = $0 { true } else { false } }
    let mayDivide = self is BinaryMath && !types.allSatisfy(\.elementType.isFloat)
    return !takesIndices && !mayDivide && !(self is any DataDependentOperator)
  }
}
