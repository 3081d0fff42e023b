import Bytes
import GraphIR
import LayerCatalog
import WBMFormat

extension WBMQuantization {
  /// The nodes of a graph that are computed by integers; `nil` when there are none.
  init?(_ graph: Graph) {
    let nodes = graph.nodes.compactMap { node in
      node.quantization.map {
        Node(
          name: node.name, input: $0.input, scale: Double($0.scale), zeroPoint: Int($0.zeroPoint),
          method: .init(word: $0.method))
      }
    }
    guard !nodes.isEmpty else { return nil }
    self.init()
    self.nodes = nodes
  }

  /// A graph with the nodes computed by integers that the record names.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at a node that cannot be.
  func applied(to graph: Graph) throws(WeighbridgeError) -> Graph {
    var quantizations: [String: InputQuantization] = [:]
    for node in nodes {
      var quantization = InputQuantization(
        scale: Float(node.scale), zeroPoint: UInt8(node.zeroPoint), method: .init(word: node.method)
      )
      quantization?.input = node.input
      quantizations[node.name] = quantization
    }
    for node in graph.nodes {
      guard let quantization = quantizations[node.name] else { continue }
      if let problem = graph.quantizationProblem(node, input: quantization.input) {
        throw .malformed("is quantized and \(problem)").at(layer: node.name)
      }
    }
    return graph.quantizing(quantizations)
  }
}
