public import Bytes
public import GraphIR

extension Model {
  /// Stores inputs with reference outputs for them.
  ///
  /// - Parameters:
  ///   - inputs: One array for each input, by name or by order.
  ///   - outputs: One array for each output, by name or by order; arrays with layers' names are
  ///     kept as references of those layers.
  ///   - author: The author of the outputs, for example `keras 2.1.5`.
  ///   - tolerance: The tolerance of computed outputs; `nil` for the standard one of the coarsest
  ///     element type on the way to the outputs.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when arrays are missing, surplus or of other
  ///   shapes, or the tolerance is negative or not finite.
  public mutating func addReferences(
    inputs: [NamedTensor], outputs: [NamedTensor], author: String, tolerance: Tolerance? = nil
  ) throws(WeighbridgeError) {
    try tolerance?.check()
    content.references.append(
      try references(inputs: inputs, outputs: outputs, author: author, tolerance: tolerance))
  }

  /// Returns arrays as a reference set of this model.
  func references(
    inputs arrays: [NamedTensor], outputs results: [NamedTensor], author: String,
    tolerance: Tolerance? = nil
  ) throws(WeighbridgeError) -> ReferenceSet {
    let tensors = try inputTensors(arrays)
    let layerNames = Set(content.graph.layerNodes.values)
    let matching = try ArrayMatching(
      renamedByIndex(results, layerNames), to: outputs, known: layerNames, what: "output")
    let types = try content.graph.specialized(to: tensors)
    for (port, tensor) in zip(content.graph.outputs, matching.matched) {
      let expected = types[port.value.index]
      // Some axes of an unknown layer's output are unknown.
      guard expected.agrees(with: expected.with(shape: tensor.shape.map(Dimension.fixed))) else {
        throw .mismatch(
          "the reference output \(port.name) has the shape \(tensor.shape), and the model gives "
            + "\(expected.shape) for these inputs")
      }
    }
    return ReferenceSet(
      author: author, inputs: zip(inputs, tensors).map { .init(name: $0.name, tensor: $1) },
      outputs: zip(outputs, matching.matched).map { .init(name: $0.name, tensor: $1) },
      layers: matching.others.map { .init(name: $0.name, tensor: $0.tensor) },
      tolerance: tolerance ?? content.graph.standardTolerance,
      toleranceSource: tolerance == nil ? .standard : .author)
  }

  /// Renames arrays of a darknet model to our names of its layers, which begin with the layer's
  /// index.
  ///
  /// darknet's name of a layer type may differ from that of the section, so `1_reorg_old` is found
  /// by its index.
  private func renamedByIndex(
    _ arrays: [NamedTensor], _ layerNames: Set<String>
  ) -> [NamedTensor] {
    guard provenance.framework == "darknet" else { return arrays }
    let namesByIndex = Dictionary(
      layerNames.map { ($0.prefix { $0 != "_" }, $0) }, uniquingKeysWith: { first, _ in first })
    return arrays.map { array in
      guard !layerNames.contains(array.name),
        let name = namesByIndex[array.name.prefix { $0 != "_" }]
      else { return array }
      return NamedTensor(name: name, tensor: array.tensor)
    }
  }
}

extension Tolerance {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a component that is negative or not finite.
  func check() throws(WeighbridgeError) {
    guard [absolute, relative].allSatisfy({ $0 >= 0 && $0.isFinite }) else {
      throw .mismatch(
        "the tolerance is \(absolute) + \(relative) x max|expected|: both parts must be finite and "
          + "not negative")
    }
  }
}
