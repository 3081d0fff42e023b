import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Operators that run other graphs of the file.
enum TFLiteControl {
  static let nodes: [String: TFLiteReading] = [
    "IF": TFLiteReading(options: 92) { (layer) throws(WeighbridgeError) in
      let (first, second) = (try layer.integer(0), try layer.integer(1))
      guard let condition = try layer.constant(0), condition.count == 1 else {
        throw layer.malformed("has no condition, which is one boolean")
      }
      var inputs: [SourceValue] = []
      for position in layer.node.inputs.indices.dropFirst() {
        inputs.append(try layer.input(position))
      }
      return try layer.results(ofGraph: condition.doubles == [0] ? second : first, inputs, step: 0)
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
      try layer.unrolled(condition: try layer.integer(0), body: try layer.integer(1))
    },
  ]
}

extension TFLiteLayer {
  /// The largest number of graphs that run each other.
  private static var maximumDepth: Int { 16 }

  /// Adds the nodes of a loop's body for each of its steps.
  fileprivate mutating func unrolled(
    condition: Int, body: Int
  ) throws(WeighbridgeError) -> [SourceValue] {
    var states: [SourceValue] = []
    for position in node.inputs.indices { states.append(try input(position)) }
    if let results = try recurrent(condition: condition, body: body, states) { return results }
    for step in 0... {
      let isRunning = try results(ofGraph: condition, states, step: step)
      guard isRunning.count == 1, let flag = isRunning[0].tensor, flag.count == 1 else {
        throw unsupported(
          "loops as often as only a run of the model tells, and only recurrent layers and loops "
            + "with a known number of steps can be read")
      }
      if flag.doubles == [0] { break }
      states = try results(ofGraph: body, states, step: step)
      guard states.count == node.inputs.count else {
        throw malformed("has \(node.inputs.count) states, and its body gives \(states.count)")
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
