import Bytes
import GraphIR
import TFLiteFormat

extension [TFLiteNode] {
  /// Lets operators apply the activations that follow them and are the only ones to read them.
  ///
  /// - Parameter outputs: The names of tensors that must stay.
  func fusingActivations(_ builder: TFLiteBuilder, _ outputs: [String]) -> [TFLiteNode] {
    var readers: [String: Int] = [:]
    for name in flatMap(\.inputs) + outputs { readers[name, default: 0] += 1 }
    var nodes: [TFLiteNode] = []
    var producers: [String: Int] = [:]
    for node in self {
      if let activation = TFLiteActivation(node.builtin), let producer = producers[node.inputs[0]],
        readers[node.inputs[0]] == 1, nodes[producer].takesActivation,
        let options = nodes[producer].options?.activated(activation)
      {
        nodes[producer].options = options
        nodes[producer].outputs = node.outputs
        producers[node.outputs[0]] = producer
        continue
      }
      for name in node.outputs where builder.types[name]?.elementType != .int32 {
        producers[name] = nodes.count
      }
      nodes.append(node)
    }
    return nodes
  }
}

extension TFLiteNode {
  /// Whether an activation can be part of the operator, in its first version.
  fileprivate var takesActivation: Bool {
    [.conv2D, .depthwiseConv2D, .fullyConnected, .add, .subtract, .multiply, .divide]
      .contains(builtin)
  }
}

extension TFLiteActivation {
  /// The activation that an operator is, if it is one.
  fileprivate init?(_ builtin: TFLiteBuiltin) {
    switch builtin {
    case .relu: self = .relu
    case .relu6: self = .relu6
    default: return nil
    }
  }
}
