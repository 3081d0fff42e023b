import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Control flow. With constant conditions and numbers of steps, bodies become nodes of the graph; otherwise
/// they become subgraphs.
enum ONNXControl: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: Conditional.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.checkOutputTypes(of: "If")
      let (condition, captured) = (builder.input(), Array(builder.operands.dropFirst()))
      let bodies = try zip(["then", "else"], operation.subgraphs).map {
        (name, subgraph) throws(WeighbridgeError) in
        try builder.body(subgraph, name, given: [], captured)
      }
      return builder.add(
        "If", [condition], ["else_branch": .graph(bodies[1]), "then_branch": .graph(bodies[0])],
        outputCount: builder.scope.outputTypes.count)
    },
    ONNXRow(outputsOf: Loop.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.checkOutputTypes(of: "Loop")
      let states = Array(builder.operands[2..<2 + operation.stateCount])
      let given = zip(
        ["step", "condition"] + states.map { _ in "state" },
        builder.givenTypes(of: operation)
      ).map { (name: $0, type: $1) }
      let body = try builder.body(
        operation.body, "body", given: given, Array(builder.operands[(2 + states.count)...]))
      var outputs = builder.add(
        "Loop", [builder.input(0), builder.input(1)] + states.map { builder.input($0) },
        ["body": .graph(body)], outputCount: builder.scope.outputTypes.count)
      for position in outputs.indices.dropFirst(states.count) where builder.scope.isUsed[position] {
        outputs[position] = builder.sized(
          outputs[position], builder.scope.outputTypes[position])
      }
      return outputs
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "If": { (layer) throws(WeighbridgeError) in
      let branches = (try layer.body("then_branch"), try layer.body("else_branch"))
      let value = try layer.input()
      guard let condition = value.tensor else {
        return try layer.chosenBranch(value, branches)
      }
      guard condition.count == 1 else {
        throw layer.malformed(
          "has a condition of \(condition.count.counted("element")), and the condition of an If has one"
        )
      }
      let isMet = condition.doubles[0] != 0
      let branch = isMet ? branches.0 : branches.1
      try ONNXUnsupportedOperators(branch.operatorCounts).check()
      let outputs = try layer.run(branch, [], isMet ? "then" : "else")
      layer.outputNarrowTypes = layer.bodyNarrowTypes
      return outputs
    },
    "Loop": { (layer) throws(WeighbridgeError) in try layer.loop() },
    "Scan": { (layer) throws(WeighbridgeError) in try layer.scan() },
  ]
}

extension ONNXLayer {
  /// Adds branches of which one is chosen by a condition that is known only when the model runs: as subgraphs,
  /// or, where both can be computed in any case and give the same types, one beside the other, which every
  /// target can express.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` if a branch cannot be read, or their outputs differ in
  ///   their element types or numbers of axes.
  fileprivate mutating func chosenBranch(
    _ condition: ONNXValue, _ branches: (ONNXGraph, ONNXGraph)
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let reason = ONNXDynamicCondition(condition, network)
    let condition = try single(condition, .bool, role: "condition")
    var (bodies, narrowTypes) = ([ValueSubgraph](), [[ONNXNarrowType?]]())
    do throws(WeighbridgeError) {
      for (branch, name) in [(branches.0, "then"), (branches.1, "else")] {
        try ONNXUnsupportedOperators(branch.operatorCounts).check()
        let names = branch.namesFromOutside
        bodies.append(
          try subgraph(given: [], reading: names, []) { (layer, _, _) throws(WeighbridgeError) in
            try layer.run(branch, [], name)
          })
        narrowTypes.append(bodyNarrowTypes)
      }
    } catch {
      // With the condition fixed, only one of the branches must be readable.
      throw unsupported(
        "one of its branches cannot be read (\(error.reason)), and \(reason.reason)")
    }
    guard narrowTypes[0] == narrowTypes[1] else {
      throw unsupported(
        "its branches give values in different types of less than 8 bits, expected the same, and \(reason.reason)"
      )
    }
    outputNarrowTypes = narrowTypes[0]
    do throws(WeighbridgeError) {
      return try branched(by: condition, bodies, mayComputeBoth: !reason.followsFromSizes)
    } catch {
      guard error.code == .unsupported else { throw error }
      throw unsupported("\(error.reason), and \(reason.reason)")
    }
  }

  /// Builds a body as a subgraph, which may also read lists of tensors around it; see
  /// ``subgraph(_:given:reading:_:build:)``.
  private mutating func subgraph(
    given: [(name: String, type: TensorType)], reading names: [String], _ values: [ONNXValue],
    build: (inout ONNXLayer, _ given: [ONNXValue], _ values: [ONNXValue]) throws(WeighbridgeError)
      ->
      [ONNXValue]
  ) throws(WeighbridgeError) -> ValueSubgraph {
    let lists = names.compactMap { name in network.sequences[name].map { (name: name, tensors: $0) }
    }
    return try subgraph(
      network.context.ofSubgraph(reading: names), given: given, reading: names,
      values + lists.flatMap(\.tensors)
    ) { (layer, given, inside) throws(WeighbridgeError) in
      var rest = inside[values.count...]
      for list in lists {
        try layer.network.defineSequence(list.name, Array(rest.prefix(list.tensors.count)))
        rest = rest.dropFirst(list.tensors.count)
      }
      return try build(&layer, given, Array(inside[..<values.count]))
    }
  }
}

/// Loops.
extension ONNXLayer {
  /// Adds a loop: written out step by step if the number of steps and the conditions are constant and there are
  /// few steps, otherwise with its body as a subgraph.
  fileprivate mutating func loop() throws(WeighbridgeError) -> [ONNXValue] {
    let body = try body("body")
    let (count, condition) = (try optional(0), try optional(1))
    for name in node.inputs.dropFirst(2) where network.sequences[name] != nil {
      throw unsupported(
        "passes the list \(name) from step to step, and only tensors can be passed")
    }
    var states: [ONNXValue] = []
    for position in node.inputs.indices.dropFirst(2) { states.append(try input(position)) }
    guard body.inputs.count == states.count + 2, body.outputs.count > states.count else {
      throw malformed(
        "has a body that does not take the number of the step, the condition and every "
          + "state, or does not give them back")
    }
    let areKnown =
      count.map { $0.tensor != nil } ?? true && condition.map { $0.tensor != nil } ?? true
    if areKnown {
      let before = network
      let outputs = try unrolled(
        body, states, maximum: count?.tensor?.integers.first,
        isRunning: condition?.tensor.map { $0.doubles.first != 0 } ?? true)
      if let outputs { return outputs }
      network.restore(before)
    }
    let steps = try count.map { (count) throws(WeighbridgeError) in
      try single(count, .int64, role: "maximum")
    }
    let isRunning =
      try condition.map { (condition) throws(WeighbridgeError) in
        try single(condition, .bool, role: "condition")
      } ?? newConstant(Tensor(.bool, shape: [], [1]), "condition")
    let narrowTypes = node.inputs.indices.dropFirst(2).map(narrowType)
    do throws(WeighbridgeError) {
      let outputs = try loop(
        steps, isRunning, states, reading: body.namesFromOutside, []
      ) { (layer, step, states, _) throws(WeighbridgeError) in
        // A body may declare both as vectors of one element, which they then are.
        let number =
          body.inputs[0].shape.isEmpty
          ? step : try layer.apply(ExpandDims(axes: [0]), to: step, role: "step")
        let flag = Tensor(.bool, shape: body.inputs[1].shape.isEmpty ? [] : [1], [1])
        var outputs = try layer.run(
          body, [number, layer.newConstant(flag, "condition")] + states, "body",
          narrowTypes: [nil, nil] + narrowTypes)
        outputs[0] = try layer.single(outputs[0], .bool, role: "condition")
        return outputs
      }
      guard Array(bodyNarrowTypes.dropFirst().prefix(states.count)) == narrowTypes else {
        throw unsupported(
          "passes states to the next step in another type of less than 8 bits, expected the same")
      }
      outputNarrowTypes = Array(bodyNarrowTypes.dropFirst())
      return outputs
    } catch {
      guard let count, count.tensor == nil, error.code == .unsupported else { throw error }
      throw unsupported(
        "\(error.reason); with a known number of steps it may be read, and "
          + ONNXDynamicCondition(count, network).reasonOfLoop)
    }
  }

  /// Adds a loop whose body is a subgraph.
  ///
  /// - Parameters:
  ///   - maximum: The largest number of steps, int64 `[]`; by default as many as a loop may have.
  ///   - condition: Whether there is a first step, bool `[]`.
  ///   - names: The names of the values around it that the body may read.
  ///   - values: Other values around it that it reads.
  ///   - build: Adds the body's nodes; gets the number of the step, the states, and what stands for the
  ///     values; returns the condition for the next step, the states, and what is collected.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` if a step changes the number of axes or the elements of a
  ///   state.
  mutating func loop(
    _ maximum: ONNXValue?, _ condition: ONNXValue, _ states: [ONNXValue], reading names: [String],
    _ values: [ONNXValue],
    build: (
      inout ONNXLayer, _ step: ONNXValue, _ states: [ONNXValue], _ values: [ONNXValue]
    ) throws(WeighbridgeError) -> [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue] {
    try loop(upTo: maximum, while: condition, states) { (layer, given) throws(WeighbridgeError) in
      try layer.subgraph(given: given, reading: names, values) {
        (layer, given, values) throws(WeighbridgeError) in
        try build(&layer, given[0], Array(given[1...]), values)
      }
    }
  }

  /// Unrolls a loop: adds the body once for each step, up to a number of steps or until its
  /// condition is false.
  ///
  /// - Returns: `nil` if a condition is known only when the model runs, or there are too many steps or none.
  private mutating func unrolled(
    _ body: ONNXGraph, _ initialStates: [ONNXValue], maximum: Int?, isRunning: Bool
  ) throws(WeighbridgeError) -> [ONNXValue]? {
    var (states, isRunning) = (initialStates, isRunning)
    var results = [[ONNXValue]](repeating: [], count: body.outputs.count - 1 - states.count)
    var narrowTypes = node.inputs.indices.dropFirst(2).map(narrowType)
    var step = 0
    while isRunning, step < maximum ?? .max {
      guard step < Self.maximumStepCount, network.mayUnroll else { return nil }
      // A body may declare both as vectors of one element, which they then are.
      let shapes = body.inputs.prefix(2).map { $0.shape.isEmpty ? [] : [1] }
      let stepNumber = newConstant(
        Tensor(.int64, shape: shapes[0], [Double(step)]), "step_\(step)")
      let condition = newConstant(
        Tensor(.bool, shape: shapes[1], [1]), "step_\(step)/condition")
      let outputs = try run(
        body, [stepNumber, condition] + states, "step_\(step)",
        narrowTypes: [nil, nil] + narrowTypes)
      narrowTypes = Array(bodyNarrowTypes.dropFirst())
      guard let isContinued = outputs[0].tensor, isContinued.count == 1 else { return nil }
      isRunning = isContinued.doubles[0] != 0
      let stateCount = states.count
      states = Array(outputs[1..<1 + stateCount])
      for (index, output) in outputs.dropFirst(1 + stateCount).enumerated() {
        results[index].append(output)
      }
      step += 1
    }
    for (index, values) in results.enumerated() {
      guard !values.isEmpty else { return nil }
      states.append(try stacked(values, 0, "output_\(index)"))
    }
    outputNarrowTypes = narrowTypes
    return states
  }

  /// Adds the nodes of a body, which can use the values around it, and returns its outputs.
  ///
  /// - Parameters:
  ///   - scopeName: The part of its layers' names that follows the node's name.
  ///   - narrowTypes: The types of the inputs that have less than 8 bits.
  mutating func run(
    _ body: ONNXGraph, _ inputs: [ONNXValue], _ scopeName: String,
    narrowTypes: [ONNXNarrowType?] = []
  ) throws(WeighbridgeError) -> [ONNXValue] {
    try network.countBody(body.nodes.count + body.inputs.count + body.outputs.count + 1)
    for (position, (feature, value)) in zip(body.inputs, inputs).enumerated() {
      try network.define(
        feature.name, value,
        narrowType: position < narrowTypes.count ? narrowTypes[position] : nil)
    }
    defer { bodyNarrowTypes = body.outputs.map { network.narrowTypes[$0.name] } }
    for tensor in body.initializers {
      let name = "\(source.layer)/\(tensor.name)"
      try network.define(
        tensor.name, .constant(name, try network.readTensor(tensor)), narrowType: tensor.narrowType)
    }
    for node in body.nodes {
      var scope = ONNXImporter.source(node)
      scope.layer = "\(source.layer)/\(scopeName)/\(scope.layer)"
      var moved = ONNXNetwork(opset: opset, names: [], readTensor: network.readTensor)
      swap(&moved, &network)  // so that nothing is copied
      network = try ONNXImporter.add(node, scope, keepsNames: false, to: consume moved)
    }
    var outputs: [ONNXValue] = []
    for feature in body.outputs {
      guard let value = network.values[feature.name] else {
        throw malformed(
          "no node of a body gives its output \(feature.name), and each output needs one")
      }
      outputs.append(value)
    }
    network.removeValues(
      body.inputs.map(\.name) + body.initializers.map(\.name) + body.nodes.flatMap(\.outputs))
    return outputs
  }
}

extension ONNXGraphBuilder {
  /// Gives what a loop collects the sizes that its inputs have. Without a step, onnxruntime takes 0 for each size
  /// that the body leaves open, and refuses what is computed with others.
  fileprivate mutating func sized(_ list: String, _ type: TensorType) -> String {
    let sources = type.shape.map { axis(ofSize: $0) }
    guard sources.contains(where: { $0 != nil }) else { return list }
    var sizes: [String] = []
    for (axis, source) in sources.enumerated() {
      if let source {
        sizes.append(dimensions(input(source.value), source.axis..<source.axis + 1))
      } else {
        sizes.append(dimensions(list, type, axis..<axis + 1))
      }
    }
    return add("Reshape", [list, concatenate(sizes, axis: 0)])
  }

  /// Checks that the opset has a loop or branch for the types of its outputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type that later opsets have it for.
  fileprivate func checkOutputTypes(of operation: String) throws(WeighbridgeError) {
    for type in scope.outputTypes.map(\.elementType)
    where try loopType(type, of: operation) != type {
      throw .unsupported(
        "becomes \(operation) of \(type.rawValue), which opset \(opset) lacks and a later one can have "
          + "(\(APIName.exportOpset))")
    }
  }

  /// The types of what ONNX gives the body of a loop: the number of the step, the condition, and the states.
  fileprivate func givenTypes(of loop: Loop) -> [TensorType] {
    var types = Array(loop.body.inputTypes[..<(1 + loop.stateCount)])
    types.insert(TensorType(.bool, [Int]()), at: 1)
    return types
  }

  /// Returns a subgraph as the body of a node, which reads the captured values by their names around it.
  ///
  /// - Parameter given: The names and types of the inputs that its node gives it; a loop's subgraph does not take
  ///   the second one, the condition.
  fileprivate mutating func body(
    _ subgraph: Subgraph, _ name: String, given: [(name: String, type: TensorType)],
    _ captured: [ExportOperand]
  ) throws(WeighbridgeError) -> ONNXGraph {
    let prefix = "\(scope.prefix)/\(name)"
    let inputs = given.map { value(unusedName("\(prefix)/\($0.name)"), $0.type) }
    for input in inputs { types[input.name] = input.type.elementType }
    let taken = inputs.enumerated().filter { $0.offset != 1 }.map(\.element)
    let (nodes, outputs) = try body { (builder) throws(WeighbridgeError) in
      let outputs = try builder.emit(subgraph, inputs: taken + captured)
      // A body may output each value only once, and none from around it.
      return outputs.map { output in
        let copy = builder.add("Identity", [builder.input(output)])
        return ExportOperand(name: copy, type: output.type, constant: nil)
      }
    }
    return ONNXGraph(
      name: prefix, nodes: nodes, inputs: inputs.map(ONNXFeature.init),
      outputs: outputs.map(ONNXFeature.init))
  }
}

extension ONNXFeature {
  /// The feature of a value.
  fileprivate init(_ operand: ExportOperand) {
    self.init(
      name: operand.name, elementType: operand.type.elementType,
      shape: Self.dimensions(operand.type))
  }
}

extension ONNXGraph {
  /// The names of the values around it that a body or the bodies in it may read, in alphabetical order.
  var namesFromOutside: [String] {
    var read = Set(outputs.map(\.name) + nodes.flatMap(\.inputs))
    for node in nodes {
      for case (_, .graph(let body)) in node.attributes { read.formUnion(body.namesFromOutside) }
    }
    read.subtract(inputs.map(\.name))
    read.subtract(initializers.map(\.name))
    read.subtract(nodes.flatMap(\.outputs))
    return read.sorted()
  }
}
