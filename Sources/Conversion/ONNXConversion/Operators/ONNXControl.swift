import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Control flow with constant conditions and numbers of steps.
enum ONNXControl: ONNXFamily {
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
  /// Adds both branches, and chooses their outputs by a condition that is known only when the model runs.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a condition that follows from sizes, since only one of
  ///   the branches may fit these, and for branches whose outputs differ in type.
  fileprivate mutating func chosenBranch(
    _ condition: ONNXValue, _ branches: (ONNXGraph, ONNXGraph)
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let reason = ONNXDynamicCondition(condition, network)
    guard !reason.followsFromSizes, case .computed = condition,
      type(condition).shape.allSatisfy({ $0.value == 1 }),
      type(condition).elementType == .bool
    else { throw unsupported(reason.reason) }
    var (first, second, narrowTypes) = ([ONNXValue](), [ONNXValue](), [ONNXNarrowType?]())
    do throws(WeighbridgeError) {
      for branch in [branches.0, branches.1] {
        try ONNXUnsupportedOperators(branch.operatorCounts).check()
      }
      first = try run(branches.0, [], "then")
      narrowTypes = bodyNarrowTypes
      second = try run(branches.1, [], "else")
    } catch {
      // With the condition fixed, only one of the branches must be readable.
      throw unsupported(reason.reason)
    }
    let types = (first.map { type($0) }, second.map { type($0) })
    guard types.0 == types.1, narrowTypes == bodyNarrowTypes,
      types.0.allSatisfy({ !$0.shape.contains(.unknown) })
    else { throw unsupported(reason.reason) }
    outputNarrowTypes = narrowTypes
    return try chosen(by: condition, first, second)
  }

  /// Unrolls a loop: adds the body once for each step, up to a number of steps or until its
  /// condition is false.
  fileprivate mutating func loop() throws(WeighbridgeError) -> [ONNXValue] {
    let body = try body("body")
    if let count = try optional(0), count.tensor == nil {
      throw unsupported(ONNXDynamicCondition(count, network).reasonOfLoop)
    }
    let maximumCount = try constant(0)?.integers.first
    var isRunning = try constant(1).map { $0.doubles.first != 0 } ?? true
    var states: [ONNXValue] = []
    for position in node.inputs.indices.dropFirst(2) { states.append(try input(position)) }
    guard body.inputs.count == states.count + 2, body.outputs.count > states.count else {
      throw malformed(
        "has a body that does not take the number of the step, the condition and every "
          + "state, or does not give them back")
    }
    var results = [[ONNXValue]](repeating: [], count: body.outputs.count - 1 - states.count)
    var narrowTypes = node.inputs.indices.dropFirst(2).map(narrowType)
    var step = 0
    while isRunning, step < maximumCount ?? .max {
      guard step < Self.maximumStepCount else {
        throw .limitExceeded(
          "loops over more than \(Self.maximumStepCount) steps, and 1 to \(Self.maximumStepCount) can be read"
        )
      }
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
      guard let isContinued = outputs[0].tensor, isContinued.count == 1 else {
        throw unsupported(
          "ends by a condition that is known only when the model runs, and only constant "
            + "conditions can be read")
      }
      isRunning = isContinued.doubles[0] != 0
      let stateCount = states.count
      states = Array(outputs[1..<1 + stateCount])
      for (index, output) in outputs.dropFirst(1 + stateCount).enumerated() {
        results[index].append(output)
      }
      step += 1
    }
    for (index, values) in results.enumerated() {
      guard !values.isEmpty else {
        throw unsupported(
          "loops over no step, and the lists of its outputs have a shape from one step on")
      }
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
