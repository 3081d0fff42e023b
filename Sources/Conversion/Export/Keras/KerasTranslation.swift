import Bytes
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
    let graph = try ChannelsLast(content.graph, needs: KerasOperators.needsChannelsLast).graph
    var draft = KerasDraft(form: form)
    let (values, inputs) = try Self.translate(graph, into: &draft, target: Self.title(form))
    var outputs: [KerasTensorReference] = []
    for port in graph.outputs {
      guard case .tensor(let reference)? = values[port.value.index]?.source else {
        throw WeighbridgeError(
          .unsupported, "the output \(port.name) is a constant, and a model of Keras computes all")
      }
      outputs.append(reference)
    }
    model = KerasWrittenModel(
      name: draft.unusedName(content.description.name ?? "model"), layers: draft.layers,
      inputs: inputs, outputs: outputs,
      texts: DescriptionEntries.entries(content.description, content.provenance, .keras))
    elements = draft.elements
    for layer in elements.keys.sorted() where form == .hdf5 {
      guard elements[layer]?.contains(where: { $0.elementType == .bfloat16 }) ?? false else {
        continue
      }
      throw WeighbridgeError(
        .unsupported,
        "layer \(layer): Keras 2.15 loads no bfloat16 weights from .h5 files, its own"
          + " neither; a .keras file takes them")
    }
    let references =
      content.references.isEmpty ? [] : ["the reference arrays are not in the file"]
    losses = references + draft.losses.sorted()
  }

  private static func title(_ form: KerasForm) -> String {
    form == .archive ? "Keras 3" : "Keras 2.15"
  }

  /// Adds what all nodes become.
  ///
  /// - Returns: For each value what stands for it, and the inputs.
  private static func translate(
    _ graph: Graph, into draft: inout KerasDraft, target: String
  ) throws(WeighbridgeError) -> ([KerasValue?], [KerasTensorReference]) {
    var values = [KerasValue?](repeating: nil, count: graph.values.count)
    var inputs: [KerasTensorReference] = []
    for (index, value) in graph.values.enumerated() {
      guard let tensor = value.constant else { continue }
      values[index] = KerasValue(source: .constant(tensor), type: value.type, name: value.name)
    }
    for port in graph.inputs {
      let value = draft.addInput(port.name, graph[port.value].type)
      values[port.value.index] = value
      if case .tensor(let reference) = value.source { inputs.append(reference) }
    }
    let read = valuesThatCount(graph)
    let fusion = KerasFusion(graph, draft)
    var problems = ExportProblems()
    for (position, node) in graph.nodes.enumerated() where !read.isDisjoint(with: node.outputs) {
      let operands = node.inputs.compactMap { values[$0.index] }
      do throws(WeighbridgeError) {
        if operands.count < node.inputs.count { continue }  // behind a layer that is named already
        // A constant was made without a layer, so nothing has done its activation.
        if fusion.isFused(position), operands[0].constant == nil {
          values[node.outputs[0].index] = operands[0]
          continue
        }
        let outputs = try draft.apply(
          node.operation, named: fusion.name(of: position), operands,
          types: node.outputs.map { graph[$0].type }, isWanted: node.outputs.map(read.contains),
          activation: fusion.activation(of: position))
        for (id, value) in zip(node.outputs, outputs) { values[id.index] = value }
      } catch {
        problems.add("\(node.source.callName) (\(node.source.className))", error.reason)
      }
    }
    try problems.check(target)
    return (values, inputs)
  }

  /// The values that the outputs are, or are made of. What a model inside the model gives may serve
  /// nobody in one of its calls.
  private static func valuesThatCount(_ graph: Graph) -> Set<ValueID> {
    var values = Set(graph.outputs.map(\.value))
    for node in graph.nodes.reversed() where !values.isDisjoint(with: node.outputs) {
      values.formUnion(node.inputs)
    }
    return values
  }
}
