public import Bytes
import GraphIR

extension Model {
  /// Stores inputs with the outputs that somebody else computed for them.
  ///
  /// - Parameters:
  ///   - inputs: One array for each input, by name or by order.
  ///   - outputs: One array for each output, by name or by order; arrays under layers' names are
  ///     kept as references of those layers.
  ///   - author: Who computed the outputs, for example `keras 2.1.5`.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when arrays are missing, surplus or of other
  ///   shapes.
  public mutating func addReferences(
    inputs: [NamedTensor], outputs: [NamedTensor], author: String
  ) throws(WeighbridgeError) {
    content.references.append(
      try references(inputs: inputs, outputs: outputs, author: author))
  }

  /// Arrays as a reference set of this model.
  func references(
    inputs arrays: [NamedTensor], outputs results: [NamedTensor], author: String
  ) throws(WeighbridgeError) -> ReferenceSet {
    let tensors = try inputTensors(arrays)
    let layerNames = Set(content.graph.layerNodes.values)
    let matching = try ArrayMatching(results, to: outputs, known: layerNames, what: "output")
    let types = try content.graph.specialized(to: tensors)
    for (port, tensor) in zip(content.graph.outputs, matching.matched) {
      let expected = types[port.value.index]
      // Of what a layer makes that is not understood, not all axes are known.
      guard expected.agrees(with: expected.with(shape: tensor.shape.map(Dimension.fixed))) else {
        throw WeighbridgeError(
          .mismatch,
          "the reference output \(port.name) has the shape \(tensor.shape), and the model gives "
            + "\(expected.shape) for these inputs")
      }
    }
    return ReferenceSet(
      author: author, inputs: zip(inputs, tensors).map { .init(name: $0.name, tensor: $1) },
      outputs: zip(outputs, matching.matched).map { .init(name: $0.name, tensor: $1) },
      layers: matching.others.map { .init(name: $0.name, tensor: $0.tensor) })
  }
}
