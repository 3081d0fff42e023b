import Bytes
package import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXSource {
  /// Returns the nodes of the file, with the output types of those that can be read.
  package func outline() -> ModelOutline {
    var outline = ModelOutline(
      format: opset > 0 ? "onnx opset \(opset)" : "onnx", byteCount: files[0].store.count)
    outline.provenance = ONNXMetadata.provenance(model)
    let graph = model.graph
    let constants = Set(graph.initializers.map(\.name))
    for feature in graph.inputs where !constants.contains(feature.name) {
      if let problem = feature.problem {
        outline.notes.append("the input \(feature.name) \(problem)")
      } else {
        outline.inputs.append((feature.name, feature.type))
      }
    }
    outline.weights = graph.initializers.filter { $0.shape.allSatisfy { $0 >= 0 } }.map {
      ($0.name, TensorType($0.elementType, $0.shape))
    }
    var producers: [String: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for name in node.outputs where !name.isEmpty { producers[name] = position }
    }
    for (position, node) in graph.nodes.enumerated() {
      let source = ONNXImporter.source(node)
      var layer = ModelOutline.Layer(
        name: source.layer, className: node.kind.fullName,
        inputs: node.inputs.filter { !$0.isEmpty },
        label: source.place(position), unit: position)
      layer.sources = Set(node.reads.compactMap { producers[$0] })
      layer.problem = ONNXImporter.problem(of: node)
      outline.layers.append(layer)
    }
    attempt(&outline)
    let types = outline.layers.enumerated().reduce(into: [String: TensorType]()) { types, entry in
      for (name, type) in zip(graph.nodes[entry.offset].outputs, entry.element.outputs) {
        types[name] = type
      }
    }
    outline.outputs = graph.outputs.compactMap { output in
      (types[output.name] ?? (output.shape.isEmpty ? nil : output.type)).map { (output.name, $0) }
    }
    return outline
  }

  private func attempt(_ outline: inout ModelOutline) {
    var source = self
    guard let stores = try? source.openExternalData() else { return }
    let file = file
    outline.attemptImport { (units) throws(WeighbridgeError) in
      var part = model
      part.graph.nodes = units.sorted().map { model.graph.nodes[$0] }
      part.graph.outputs = part.graph.nodes.flatMap(\.outputs).filter { !$0.isEmpty }.map {
        ONNXFeature(name: $0, elementType: .float32, shape: [])
      }
      var importer = ONNXImporter(part, stated: ONNXStatedInputs(options)) {
        (tensor) throws(WeighbridgeError) in
        try Self.read(tensor, file.store, stores)
      }
      return try importer.run().graph
    }
  }
}
