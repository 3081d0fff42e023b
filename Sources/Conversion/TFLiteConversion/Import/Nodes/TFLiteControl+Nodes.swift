import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Operators that run other graphs of the file.
extension TFLiteControl {
  static let nodes: [String: TFLiteReading] = [
    "IF": TFLiteReading(options: 92) { (layer) throws(WeighbridgeError) in
      let graphs = [try layer.integer(0), try layer.integer(1)]
      let condition = try layer.input(0)
      var inputs: [SourceValue] = []
      for position in layer.node.inputs.indices.dropFirst() {
        inputs.append(try layer.input(position))
      }
      guard let tensor = condition.tensor else {
        return try layer.branched(by: condition, graphs, inputs)
      }
      guard tensor.count == 1 else {
        throw layer.malformed("has a condition of \(tensor.type), expected one boolean")
      }
      return try layer.results(ofGraph: graphs[tensor.doubles == [0] ? 1 : 0], inputs, step: 0)
    },
    // A part of the model that some runtimes replace by one operator of their own.
    "STABLEHLO_COMPOSITE": TFLiteReading(options: TFLiteFile.Operator.secondUnion + 21) {
      (layer) throws(WeighbridgeError) in
      layer.ignore(0, 2, 3, 4)  // its name, version and attributes, for which its graph stands
      let graph = try layer.integer(1)
      var inputs: [SourceValue] = []
      for position in layer.node.inputs.indices { inputs.append(try layer.input(position)) }
      return try layer.results(ofGraph: graph, inputs, step: 0)
    },
    "WHILE": TFLiteReading(options: 93) { (layer) throws(WeighbridgeError) in
      try layer.loop(condition: try layer.integer(0), body: try layer.integer(1))
    },
  ]
}

extension TFLiteLayer {
  /// The largest number of graphs that run each other.
  private static var maximumDepth: Int { 16 }

  /// Adds branches of which a condition chooses one when the model runs.
  ///
  /// - Parameters:
  ///   - graphs: The position of the graph for a condition that is met, and that of the other.
  ///   - inputs: What both take.
  fileprivate mutating func branched(
    by condition: SourceValue, _ graphs: [Int], _ inputs: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue] {
    let condition = try single(condition, .bool, role: "condition")
    let branches = try graphs.map { (graph) throws(WeighbridgeError) in
      try subgraph(network.context.ofSubgraph, given: [], reading: [], inputs) {
        (layer, _, inputs) throws(WeighbridgeError) in
        try layer.results(ofGraph: graph, inputs, step: 0)
      }
    }
    return try branched(by: condition, branches)
  }

  /// Adds a loop: as an operator of the catalog if it computes one, written out step by step if its conditions are
  /// constant and there are few steps, otherwise with its body as a subgraph.
  fileprivate mutating func loop(
    condition: Int, body: Int
  ) throws(WeighbridgeError) -> [SourceValue] {
    var values: [SourceValue] = []
    for position in node.inputs.indices { values.append(try input(position)) }
    if let results = try recurrent(condition: condition, body: body, values) { return results }
    let before = network
    if let results = try unrolled(condition: condition, body: body, values) { return results }
    network.restore(before)
    let scopes = network.context.scopes
    guard scopes.indices.contains(body), case let graph = scopes[body].graph,
      graph.inputs.count == values.count, graph.outputs.count == values.count
    else {
      throw malformed("runs the graph \(body) with \(values.count) states, which the file lacks")
    }
    let isFixed = zip(graph.inputs, graph.outputs).map(==)
    // What a step does not change is read from outside of the loop.
    let fixed = values.indices.filter { isFixed[$0] }.map { values[$0] }
    let states = values.indices.filter { !isFixed[$0] }.map { values[$0] }
    let isRunning = try isMet(condition, values, step: 0)
    let results = try loop(while: isRunning, states) { (layer, given) throws(WeighbridgeError) in
      try layer.subgraph(layer.network.context.ofSubgraph, given: given, reading: [], fixed) {
        (layer, given, fixed) throws(WeighbridgeError) in
        let inputs = Self.merged(given.dropFirst(), fixed, isFixed)
        let outputs = try layer.results(ofGraph: body, inputs, step: 0)
        let states = outputs.indices.filter { !isFixed[$0] }.map { outputs[$0] }
        return [
          try layer.isMet(condition, Self.merged(states[...], fixed, isFixed), step: 1)
        ] + states
      }
    }
    return Self.merged(results[...], fixed, isFixed)
  }

  /// What a loop passes from step to step, in the order of the file.
  private static func merged(
    _ states: ArraySlice<SourceValue>, _ fixed: [SourceValue], _ isFixed: [Bool]
  ) -> [SourceValue] {
    var (states, fixed) = (states, fixed[...])
    return isFixed.map { $0 ? fixed.removeFirst() : states.removeFirst() }
  }

  /// Whether there is another step: bool `[]`.
  private mutating func isMet(
    _ condition: Int, _ values: [SourceValue], step: Int
  ) throws(WeighbridgeError) -> SourceValue {
    let results = try results(ofGraph: condition, values, step: step)
    guard results.count == 1 else {
      throw malformed("has a condition of \(results.count.counted("value")), expected one")
    }
    return try single(results[0], .bool, role: "condition")
  }

  /// Adds the nodes of a loop's body for each of its steps.
  ///
  /// - Returns: `nil` if a condition is known only when the model runs, or there are too many steps.
  private mutating func unrolled(
    condition: Int, body: Int, _ initial: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue]? {
    var states = initial
    for step in 0... {
      let isRunning = try results(ofGraph: condition, states, step: step)
      guard isRunning.count == 1, let flag = isRunning[0].tensor, flag.count == 1 else {
        return nil
      }
      if flag.doubles == [0] { break }
      guard step < Self.maximumStepCount, network.mayUnroll else { return nil }
      states = try results(ofGraph: body, states, step: step)
      guard states.count == initial.count else {
        throw malformed("has \(initial.count) states, and its body gives \(states.count)")
      }
    }
    return states
  }

  /// Adds the nodes of another graph of the file.
  ///
  /// - Parameters:
  ///   - inputs: The values of the graph's inputs.
  ///   - step: How often it ran before.
  fileprivate mutating func results(
    ofGraph index: Int, _ inputs: [SourceValue], step: Int
  ) throws(WeighbridgeError) -> [SourceValue] {
    let scopes = network.context.scopes
    guard scopes.indices.contains(index), scopes[index].graph.inputs.count == inputs.count else {
      throw malformed("runs the graph \(index) with \(inputs.count) inputs, which the file lacks")
    }
    guard network.context.depth < Self.maximumDepth else {
      throw .limitExceeded(
        "runs graphs that run each other \(Self.maximumDepth) times and more, which is the limit")
    }
    let (inner, outerValues) = (scopes[index], network.values)
    try network.countBody(max(1, inner.graph.operators.count))
    network.context.depth += 1
    network.replaceValues([:])
    try TFLiteImporter.addConstants(inner, to: &network)
    for (tensor, value) in zip(inner.graph.inputs, inputs) {
      try network.define(inner.names[tensor], value)
    }
    for node in inner.graph.operators {
      var origin = TFLiteImporter.source(node, inner)
      (origin.layer, origin.call) = ("\(source.layer)/\(origin.layer)", step)
      var moved = TFLiteNetwork(TFLiteContext(file: network.context.file), names: [])
      swap(&moved, &network)
      network = try TFLiteImporter.add(node, inner, origin, keepsNames: false, to: consume moved)
    }
    var outputs: [SourceValue] = []
    for tensor in inner.graph.outputs {
      guard let value = network.values[inner.names[tensor]] else {
        throw malformed("runs the graph \(index), of which nothing gives \(inner.names[tensor])")
      }
      outputs.append(value)
    }
    network.context.depth -= 1
    network.replaceValues(outerValues)
    return outputs
  }
}
