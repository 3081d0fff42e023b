import GraphIR
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge

/// The trained shape detector with its reference input, output and layer outputs, computed by
/// Keras.
enum ShapeDetector {
  static let source = Paths.sample("Models/shape-detector/shape-detector.h5")

  /// The model with its references.
  static func model() throws -> Model {
    var model = try Model(contentsOf: source)
    let output = try ArrayFile.read(Paths.sample("Models/shape-detector/outputs.npz"))
    let layers = try ArrayFile.read(Paths.sample("Models/shape-detector/layers.npz"))
    try model.addReferences(
      inputs: ArrayFile.read(Paths.sample("Models/shape-detector/input.npy")),
      outputs: [NamedTensor(name: "conv2d_7", tensor: output[0].tensor)]
        + layers.filter { $0.name != "conv2d_7" },
      author: "keras 2.1.5")
    return model
  }

  /// The content of the same model.
  static func content() throws -> ModelContent { try model().content }

  /// The runtime of these tests.
  static var runtime: ReferenceRuntime { ReferenceRuntime(workers: Workers(count: 2)) }
}

extension ModelContent {
  /// The model with one weight changed.
  func changingWeight(
    _ name: String, _ change: (inout [Double]) -> Void
  ) throws -> ModelContent {
    var content = self
    let weight = try #require(graph.weights.first { $0.name == name }?.tensor)
    var numbers = weight.doubles
    change(&numbers)
    content.graph = try graph.replacing(
      name, with: Tensor(weight.elementType, shape: weight.shape, numbers))
    return content
  }
}

extension Graph {
  /// A builder of the same graph with another tensor for one weight, and the new ids of the values.
  private func builder(
    replacing name: String, with tensor: Tensor
  ) throws -> (GraphBuilder, [ValueID]) {
    var builder = GraphBuilder()
    var ids = values.indices.map { ValueID($0) }
    for port in inputs {
      ids[port.value.index] = try builder.addInput(self[port.value].name, self[port.value].type)
    }
    for (index, value) in values.enumerated() {
      guard let constant = value.constant else { continue }
      ids[index] = try builder.addWeight(value.name, value.name == name ? tensor : constant)
    }
    for node in nodes {
      let results = try builder.addNode(
        node.operation, named: node.name, inputs: node.inputs.map { ids[$0.index] },
        source: node.source)
      for (old, new) in zip(node.outputs, results) { ids[old.index] = new }
    }
    return (builder, ids)
  }

  func replacing(_ name: String, with tensor: Tensor) throws -> Graph {
    let (builder, ids) = try builder(replacing: name, with: tensor)
    return try builder.finish(
      outputs: outputs.map { Port(name: $0.name, value: ids[$0.value.index]) })
  }
}

extension Tensor {
  /// The tensor with some elements changed.
  func changing(_ change: (inout [Double]) -> Void) -> Tensor {
    var numbers = doubles
    change(&numbers)
    return Tensor(elementType, shape: shape, numbers)
  }
}
