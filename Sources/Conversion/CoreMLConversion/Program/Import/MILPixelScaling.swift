import Bytes
import GraphIR
import LayerCatalog

/// The scaling of pixels with which a program begins, as a record beside the graph.
struct MILPixelScaling {
  /// The graph, which takes scaled pixels.
  let graph: Graph
  /// The scale and the bias of each component, by the name of the input.
  private(set) var scaling: [String: (scale: Double, bias: [Double])] = [:]

  /// - Parameter images: The number of components of each input that is an image.
  init(_ original: Graph, images: [String: Int]) throws(WeighbridgeError) {
    var copy = try GraphCopy(withInputsOf: original)
    var removed: Set<Int> = []
    for port in original.inputs {
      guard let count = images[port.name] else { continue }
      var steps = PixelSteps(original, port.value, count: count)
      steps.take()
      guard steps.value != port.value else { continue }
      copy[steps.value] = try copy.copy(of: port.value)
      removed.formUnion(steps.positions)
      scaling[port.name] = (steps.scale, steps.bias)
    }
    for (position, node) in original.nodes.enumerated() where !removed.contains(position) {
      try copy.add(node)
    }
    graph = try copy.finish()
  }
}

/// A product with one number and a sum with one number for each component, one after the other.
private struct PixelSteps {
  private let graph: Graph
  /// The value after the steps.
  private(set) var value: ValueID
  private(set) var scale = 1.0
  private(set) var bias: [Double]
  /// The positions of the steps' nodes.
  private(set) var positions: [Int] = []

  init(_ graph: Graph, _ value: ValueID, count: Int) {
    (self.graph, self.value) = (graph, value)
    bias = [Double](repeating: 0, count: count)
  }

  /// Takes the steps that there are.
  mutating func take() {
    if let factor = step(Multiply.self), factor.count == 1, let number = factor.doubles.first {
      scale = number
      advance()
    }
    guard let offsets = step(Add.self)?.doubles, [1, bias.count].contains(offsets.count) else {
      return
    }
    bias = offsets.count == 1 ? bias.map { _ in offsets[0] } : offsets
    advance()
  }

  /// The position of the only node that reads the value; `nil` if it is also an output.
  private var reader: Int? {
    let readers = graph.nodes.indices.filter { graph.nodes[$0].inputs.contains(value) }
    let isOutput = graph.outputs.contains { $0.value == value }
    return readers.count == 1 && !isOutput ? readers[0] : nil
  }

  /// The constant that an operation combines with the value; `nil` for another operation.
  private func step<Operation>(_ type: Operation.Type) -> Tensor? {
    guard let reader, graph.nodes[reader].operation is Operation else { return nil }
    let others = graph.nodes[reader].inputs.filter { $0 != value }
    return others.count == 1 ? graph[others[0]].constant : nil
  }

  private mutating func advance() {
    guard let reader, let output = graph.nodes[reader].outputs.first else { return }
    positions.append(reader)
    value = output
  }
}
