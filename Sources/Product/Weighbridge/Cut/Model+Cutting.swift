public import Bytes

extension Model {
  /// A part of the model as a model of its own.
  ///
  /// ```swift
  /// let classifier = try Model(contentsOf: "sketches.wbm")
  /// let features = try classifier.cut(to: ["dense_1"])  // float32 [batch, 64]
  /// ```
  ///
  /// What is said of the model, where it came from and how its images are prepared stays. Its labels
  /// stay where the outputs still hold a score for each class, its detector where all of its outputs
  /// are still there. Reference arrays of the new inputs and outputs are kept; where some are missing,
  /// they are computed from the stored inputs by the whole model, and the record says so.
  ///
  /// - Parameters:
  ///   - outputs: The layers or outputs whose results the part gives, at least one.
  ///   - inputs: The layers or inputs whose results the part takes. When there are none, it takes
  ///     those of the model's inputs that it needs.
  ///   - options: How missing reference arrays are computed.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when there is no layer of a name (the nearest names
  ///   are said), when an output needs an input that is not given, or when no output needs an input;
  ///   what ``run(_:keepsLayers:options:)`` throws.
  public func cut(
    to outputs: [String], from inputs: [String] = [], options: RunOptions = RunOptions()
  ) throws(WeighbridgeError) -> Model {
    let graph = content.graph
    let ends = try graph.ports(outputs, besides: graph.outputs)
    let starts =
      inputs.isEmpty
      ? graph.inputs(neededFor: ends) : try graph.ports(inputs, besides: graph.inputs)
    let part = try graph.cut(from: starts, to: ends)
    var content = content
    content.graph = part
    content.description = CutDescription(whole: self.content, from: starts, to: ends).description
    content.references = try CutReferences(
      whole: self.content, part: part, from: starts, to: ends, options: options
    ).sets()
    content.provenance.note(part, from: inputs, to: outputs)
    var model = self
    model.content = content
    model.isPart = true
    return model
  }
}

extension Graph {
  /// The values of given names.
  ///
  /// - Parameter ports: What may be named besides layers.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a name that nothing has, or that is given twice.
  fileprivate func ports(
    _ names: [String], besides ports: [Port]
  ) throws(WeighbridgeError) -> [Port] {
    let values = namedValues(with: ports)
    var result: [Port] = []
    for name in names {
      guard let value = values[name] else { throw noLayer(named: name, among: values.keys) }
      guard !result.contains(where: { $0.value == value }) else {
        throw .mismatch("\(name) is named twice")
      }
      result.append(Port(name: name, value: value))
    }
    guard !result.isEmpty else { throw .mismatch("no layer is named") }
    return result
  }

  /// The inputs from which paths lead to values.
  func inputs(neededFor ends: [Port]) -> [Port] {
    var needed = Set(ends.map(\.value))
    for node in nodes.reversed() where !needed.isDisjoint(with: node.outputs) {
      needed.formUnion(node.inputs)
    }
    return inputs.filter { needed.contains($0.value) }
  }
}

extension Provenance {
  /// Notes that a model is a part of another one, and forgets decisions about layers that it lacks.
  fileprivate mutating func note(_ part: Graph, from inputs: [String], to outputs: [String]) {
    if !inputs.isEmpty { options["cut-input"] = inputs.joined(separator: ", ") }
    options["cut-output"] = outputs.joined(separator: ", ")
    let layers = Set(part.nodes.map(\.source.layer))
    let ports = Set((part.inputs + part.outputs).map(\.name))
    decisions = decisions.filter {
      $0.layer.isEmpty || layers.contains($0.layer) || ports.contains($0.layer)
    }
  }
}
