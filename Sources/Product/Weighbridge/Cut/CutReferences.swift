/// The reference arrays of a part of a model.
struct CutReferences {
  private let whole: ModelContent
  private let part: Graph
  private let starts, ends: [Port]
  private let options: RunOptions
  private let layerValues: [String: ValueID]

  init(
    whole: ModelContent, part: Graph, from starts: [Port], to ends: [Port], options: RunOptions
  ) {
    (self.whole, self.part) = (whole, part)
    (self.starts, self.ends) = (starts, ends)
    self.options = options
    layerValues = whole.graph.layerValues
  }

  /// Returns a set for each of the whole model's sets: with the set's own arrays if it has all that
  /// are needed, otherwise with arrays that are computed from its inputs. Sets that would have to
  /// be computed are left out for a model that cannot run.
  func sets() throws(WeighbridgeError) -> [ReferenceSet] {
    var result: [ReferenceSet] = []
    for set in whole.references {
      let stored = arrays(of: set)
      if (starts + ends).allSatisfy({ stored[$0.value] != nil }) {
        result.append(self.set(stored, like: set, author: set.author))
      } else if whole.graph.opaqueNodes.isEmpty {
        let author = "weighbridge \(weighbridgeVersion), from the inputs of \(set.author)"
        result.append(self.set(try computed(set), like: set, author: author))
      }
    }
    return result
  }

  /// Returns the set's arrays by the values that they belong to.
  private func arrays(of set: ReferenceSet) -> [ValueID: Tensor] {
    var arrays: [ValueID: Tensor] = [:]
    for entry in set.layers { layerValues[entry.name].map { arrays[$0] = entry.tensor } }
    let ports = [(whole.graph.outputs, set.outputs), (whole.graph.inputs, set.inputs)]
    for (ports, entries) in ports {
      for port in ports {
        guard let entry = entries.first(where: { $0.name == port.name }) else { continue }
        arrays[port.value] = entry.tensor
      }
    }
    return arrays
  }

  /// Computes what the whole model returns for the set's inputs.
  private func computed(_ set: ReferenceSet) throws(WeighbridgeError) -> [ValueID: Tensor] {
    let inputs = whole.graph.inputs
    let given = starts.filter { inputs.contains($0) }
    var arrays = arrays(of: set).filter { id, _ in given.contains { $0.value == id } }
    let missing = (starts + ends).filter { arrays[$0.value] == nil }
    let graph = try whole.graph.cut(
      from: whole.graph.inputs(neededFor: missing), to: missing)
    let tensors = graph.inputs.compactMap { port in
      set.inputs.first { $0.name == port.name }?.tensor
    }
    let outputs = try options.runtime().run(graph, inputs: tensors) { _ in }
    for (port, tensor) in zip(missing, outputs) { arrays[port.value] = tensor.contiguous() }
    return arrays
  }

  private func set(
    _ arrays: [ValueID: Tensor], like set: ReferenceSet, author: String
  ) -> ReferenceSet {
    let inputs = starts.compactMap { port in
      arrays[port.value].map { tensor in
        let type = whole.graph[port.value].type.elementType
        let isSameType = tensor.elementType == type
        return ReferenceSet.Entry(
          name: port.name,
          tensor: isSameType ? tensor : Tensor(type, shape: tensor.shape, tensor.doubles))
      }
    }
    let outputs = ends.compactMap { port in
      arrays[port.value].map { ReferenceSet.Entry(name: port.name, tensor: $0) }
    }
    let layers = Set(part.layerValues.keys)
    return ReferenceSet(
      author: author, inputs: inputs, outputs: outputs,
      layers: author == set.author ? set.layers.filter { layers.contains($0.name) } : [],
      tolerance: set.toleranceSource == .standard ? part.standardTolerance : set.tolerance,
      toleranceSource: set.toleranceSource)
  }
}
