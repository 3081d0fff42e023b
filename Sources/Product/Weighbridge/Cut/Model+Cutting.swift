public import Bytes

extension Model {
  /// Returns a part of the model as a separate model.
  ///
  /// ```swift
  /// let classifier = try Model(contentsOf: "sketches.wbm")
  /// let features = try classifier.cut(to: ["dense_1"])  // float32 [batch, 64]
  /// ```
  ///
  /// The description, the provenance and the preprocessing of images are kept. So are the labels if
  /// the outputs still contain a score for each class, and the detector if all of its outputs are
  /// still present. Reference arrays of the new inputs and outputs are kept; where some are
  /// missing, they are computed from the stored inputs by the whole model, and the record says so.
  ///
  /// - Parameters:
  ///   - outputs: The layers or outputs whose results the part returns, at least one.
  ///   - inputs: The layers or inputs whose results the part takes. When there are none, it takes
  ///     those of the model's inputs that it needs.
  ///   - options: How missing reference arrays are computed.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when no layer has one of the names (the message
  ///   suggests similar ones), when an output needs an input that is not given, or when no output
  ///   needs an input; the errors of ``run(_:keepsLayers:options:)``.
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
    content.provenance.recordCut(part, from: inputs, to: outputs)
    var model = self
    model.content = content
    model.isPart = true
    return model
  }
}

extension Graph {
  /// Returns the values with the given names.
  ///
  /// - Parameter ports: Ports that can be named in addition to layers.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a name that does not exist, or is given
  ///   twice.
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

  /// Returns the inputs on which the values depend.
  func inputs(neededFor ends: [Port]) -> [Port] {
    var needed = Set(ends.map(\.value))
    for node in nodes.reversed() where !needed.isDisjoint(with: node.outputs) {
      needed.formUnion(node.inputs)
    }
    return inputs.filter { needed.contains($0.value) }
  }
}

extension Provenance {
  /// Records that a model is a part of another one, and drops decisions about layers that it lacks.
  fileprivate mutating func recordCut(_ part: Graph, from inputs: [String], to outputs: [String]) {
    if !inputs.isEmpty { options["cut-input"] = inputs.joined(separator: ", ") }
    options["cut-output"] = outputs.joined(separator: ", ")
    let layers = Set(part.nodes.map(\.source.layer))
    let ports = Set((part.inputs + part.outputs).map(\.name))
    decisions = decisions.filter {
      $0.layer.isEmpty || layers.contains($0.layer) || ports.contains($0.layer)
    }
  }
}
