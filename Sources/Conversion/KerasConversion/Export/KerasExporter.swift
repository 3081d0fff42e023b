package import Bytes
package import ConversionCore
package import GraphIR
import KerasFormat
import LayerCatalog

/// A model translated to the contents of a Keras file.
struct KerasTranslation {
  /// Everything but the elements of the weights.
  let model: KerasWrittenModel
  /// The elements of each layer's weights, by its name.
  let elements: [String: [Tensor]]
  /// Descriptions of what the file lacks, or contains in another form.
  let losses: [String]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that Keras cannot express.
  init(_ content: ModelContent, format: KerasOutputFormat) throws(WeighbridgeError) {
    let graph = try PreparedModel(
      content, [.convertLayout(transposesPorts: false)], for: "Keras", KerasOperators.table
    ).graph
    var builder = KerasModelBuilder(format: format, graph)
    let inputs = try graph.inputs.map { (port) throws(WeighbridgeError) in
      try builder.addInput(port.name, graph[port.value].type)
    }
    let results = try builder.emit(graph, inputs: inputs, groups: builder.groups)
    var outputs: [KerasTensorReference] = []
    for (port, result) in zip(graph.outputs, results) {
      guard let reference = result.reference else {
        throw .unsupported(
          result.constant == nil
            ? "the output \(port.name) is a mask, which TensorFlow.js does not return"
            : "the output \(port.name) is a constant, and a model of Keras computes all")
      }
      guard !builder.steps.mergesAxes(result) else {
        throw .unsupported(
          "the output \(port.name) has the steps of its sequences in the batch, and TensorFlow.js "
            + "keeps them apart")
      }
      outputs.append(reference)
    }
    builder.joinDirections(outputs: outputs)
    model = KerasWrittenModel(
      name: builder.unusedName(content.description.name ?? "model"), layers: builder.layers,
      inputs: inputs.compactMap(\.reference), outputs: outputs,
      customMetadata: DescriptionEntries.entries(content.description, content.provenance, .keras))
    elements = builder.elements
    for layer in elements.keys.sorted() where format == .hdf5 {
      guard elements[layer]?.contains(where: { $0.elementType == .bfloat16 }) ?? false else {
        continue
      }
      throw .unsupported(
        "layer \(layer): Keras 2.15 loads no bfloat16 weights from .h5 files, its own"
          + " neither; a .keras file takes them")
    }
    losses = builder.losses.sorted()
  }
}

/// Writes models as `.keras` archives of Keras 3.
package enum KerasArchiveExporter: Exporter {
  package static let keepsEncodings = false

  package static func write(
    _ content: ModelContent, to path: String, options: NoOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    try KerasTranslation(content, format: .archive).write(.archive, to: path, writing)
  }
}

/// Writes models as `.h5` files of Keras 2.15.
package enum KerasHDF5Exporter: Exporter {
  package static let keepsEncodings = false

  package static func write(
    _ content: ModelContent, to path: String, options: NoOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    try KerasTranslation(content, format: .hdf5).write(.hdf5, to: path, writing)
  }
}

extension KerasTranslation {
  fileprivate func write(
    _ format: KerasOutputFormat, to path: String, _ writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    var writer = try KerasFileWriter(model, as: format, to: path)
    var stream = WeightStream(writing.cancellation)
    for weight in writer.weights {
      try writer.beginWeight()
      guard let tensor = elements[weight.layer]?[weight.index] else { continue }
      try stream.write(tensor) { (bytes) throws(WeighbridgeError) in try writer.append(bytes) }
    }
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path], losses: losses)
  }
}
