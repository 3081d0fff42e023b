import Bytes
import GraphIR
import LayerCatalog
import WBMFormat

extension WBMQuantization {
  /// Creates the record of the nodes of a graph that are computed with integers or bfloat16; `nil`
  /// if there are none.
  init?(_ graph: Graph) {
    self.init()
    for node in graph.nodes {
      guard let quantization = node.quantization else { continue }
      switch quantization.elements {
      case .integers(let integers):
        nodes.append(
          Node(
            name: node.name, input: quantization.input, scale: Double(integers.scale),
            zeroPoint: Int(integers.zeroPoint), method: .init(matching: integers.method)))
      case .bfloat16:
        bfloat16Nodes.append(BFloat16Node(name: node.name, input: quantization.input))
      }
    }
    guard !nodes.isEmpty || !bfloat16Nodes.isEmpty else { return nil }
  }

  /// Returns a graph with the nodes of the record computed with integers or bfloat16.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at a node that cannot be quantized.
  func applied(to graph: Graph) throws(WeighbridgeError) -> Graph {
    var quantizations: [String: InputQuantization] = [:]
    for node in nodes {
      let integers = IntegerQuantization(
        scale: Float(node.scale), zeroPoint: UInt8(node.zeroPoint),
        method: .init(matching: node.method))
      quantizations[node.name] = integers.map {
        InputQuantization(.integers($0), input: node.input)
      }
    }
    for node in bfloat16Nodes {
      quantizations[node.name] = InputQuantization(.bfloat16, input: node.input)
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
