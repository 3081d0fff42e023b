import Bytes
import ConversionCore
import GraphIR
import KerasFormat
import LayerCatalog

/// A model as a file of Keras will have it.
struct KerasTranslation {
  /// Everything but the elements of the weights.
  let model: KerasWrittenModel
  /// The elements of each layer's weights, by its name.
  let elements: [String: [Tensor]]
  /// What the file does not hold, or holds in another form, in words.
  let losses: [String]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that Keras has no form for.
  init(_ content: ModelContent, form: KerasForm) throws(WeighbridgeError) {
    let graph = try ChannelsLast(content.graph, needs: KerasOperators.table.needsLayout).graph
    var builder = KerasModelBuilder(form: form, graph)
    let inputs = graph.inputs.map { builder.addInput($0.name, graph[$0.value].type) }
    let results = try builder.emit(graph, inputs: inputs, groups: builder.groups)
    var outputs: [KerasTensorReference] = []
    for (port, result) in zip(graph.outputs, results) {
      guard let reference = result.reference else {
        throw .unsupported(
          "the output \(port.name) is a constant, and a model of Keras computes all")
      }
      outputs.append(reference)
    }
    model = KerasWrittenModel(
      name: builder.unusedName(content.description.name ?? "model"), layers: builder.layers,
      inputs: inputs.compactMap(\.reference), outputs: outputs,
      texts: DescriptionEntries.entries(content.description, content.provenance, .keras))
    elements = builder.elements
    for layer in elements.keys.sorted() where form == .hdf5 {
      guard elements[layer]?.contains(where: { $0.elementType == .bfloat16 }) ?? false else {
        continue
      }
      throw .unsupported(
        "layer \(layer): Keras 2.15 loads no bfloat16 weights from .h5 files, its own"
          + " neither; a .keras file takes them")
    }
    let references =
      content.references.isEmpty ? [] : ["the reference arrays are not in the file"]
    losses = references + builder.losses.sorted()
  }
}
