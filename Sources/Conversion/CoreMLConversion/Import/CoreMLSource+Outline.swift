import Bytes
package import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

extension CoreMLSource {
  /// Returns the layers of the file, with the output types of those in the first network that can
  /// be read.
  package func outline() -> ModelOutline {
    var outline = ModelOutline(format: "coreml", byteCount: byteCount)
    outline.provenance.framework = "coreml"
    outline.provenance.frameworkVersion = "specification \(model.specificationVersion)"
    guard let members = try? CoreMLImporter.members(of: model) else { return outline }
    for (index, member) in members.enumerated() {
      let prefix = members.count > 1 ? "\(member.name)/" : ""
      add(member.network?.layers ?? [], prefix: prefix, isFirst: index == 0, to: &outline)
      if let program = member.program { add(program, prefix: prefix, to: &outline) }
      if member.suppression != nil {
        outline.notes.append("\(member.name): non-maximum suppression")
      }
    }
    outline.attemptImport { (units) throws(WeighbridgeError) in
      try CoreMLImporter(
        store: files[0].store, files: program, custom: custom
      ).partialGraph(units, of: model)
    }
    if outline.inputs.isEmpty { addInputs(to: &outline) }
    let layerTypes = outline.layers.enumerated().flatMap { index, layer in
      zip(layerOutputs(members, index), layer.outputs)
    }
    let types = Dictionary(layerTypes, uniquingKeysWith: { _, last in last })
    for feature in model.description.outputs {
      let declared = feature.tensorType.flatMap { $0.shape.isEmpty ? nil : $0 }
      if let type = types[feature.name] ?? declared {
        outline.outputs.append((feature.name, type))
      } else {
        outline.notes.append("the type of the output \(feature.name) is not known")
      }
    }
    return outline
  }

  /// Adds the inputs of the description.
  private func addInputs(to outline: inout ModelOutline) {
    for feature in model.description.inputs {
      if let type = feature.tensorType {
        outline.inputs.append((feature.name, type))
      } else {
        outline.notes.append("the input \(feature.name) is no tensor")
      }
    }
  }

  private func layerOutputs(_ members: [CoreMLImporter.Member], _ index: Int) -> [String] {
    let layers = members.flatMap { $0.network?.layers ?? [] }
    if layers.indices.contains(index) { return layers[index].outputs }
    let operations = members[0].program?.functions.first?.block.computed ?? []
    return operations.indices.contains(index) ? operations[index].outputs.map(\.name) : []
  }

  /// Adds the operations of a program.
  private func add(_ program: MILProgram, prefix: String, to outline: inout ModelOutline) {
    var producers: [String: Int] = [:]
    for (position, operation) in (program.functions.first?.block.computed ?? []).enumerated() {
      let source = MILLayer.source(operation)
      let inputs = operation.inputs.flatMap(\.bindings).compactMap { binding -> String? in
        if case .name(let name) = binding { name } else { nil }
      }
      var layer = ModelOutline.Layer(
        name: prefix + source.layer, className: operation.type, inputs: inputs,
        label: source.place(position), unit: position)
      layer.sources = Set(inputs.compactMap { producers[$0] })
      let isKnown = operation.type == "classify" || MILOperators.nodes[operation.type] != nil
      layer.problem = isKnown ? nil : "is of a kind that cannot be read"
      for output in operation.outputs { producers[output.name] = position }
      outline.layers.append(layer)
    }
  }

  private func add(
    _ layers: [CoreMLLayer], prefix: String, isFirst: Bool, to outline: inout ModelOutline
  ) {
    let start = outline.layers.count
    var producers: [String: Int] = [:]
    for (position, record) in layers.enumerated() {
      let name = prefix + record.name
      let custom = record.settings.string("className")
      var layer = ModelOutline.Layer(
        name: name, className: record.kind == "custom" ? "custom \(custom)" : record.kind,
        inputs: record.inputs, label: "#\(position) \(record.name) (\(record.kind))",
        unit: start + position)
      layer.sources = Set(record.inputs.compactMap { producers[$0] })
      layer.problem = problem(of: record)
      for output in record.outputs { producers[output] = start + position }
      outline.layers.append(layer)
    }
  }

  private func problem(of layer: CoreMLLayer) -> String? {
    if CoreMLOperators.builders[layer.kind] != nil { return nil }
    guard layer.kind == "custom" else { return "is of a kind that cannot be read" }
    let isKnown = custom.keepsUnknown || (try? CoreMLCustomLayers(custom).check([layer])) != nil
    return isKnown ? nil : "is a custom layer, whose code is in an app"
  }
}

extension CoreMLImporter {
  /// Returns the graph of some layers of the first network, by position, with all their outputs.
  func partialGraph(_ units: Set<Int>, of model: CoreMLModel) throws(WeighbridgeError) -> Graph {
    let members = try Self.members(of: model)
    if let program = members[0].program, let files {
      return try MILImporter(program, files).graph(of: units)
    }
    guard var layers = members[0].network else { return try GraphBuilder().finish(outputs: []) }
    let read = Self.readNames(members)
    layers.layers = units.sorted().filter { $0 < layers.layers.count }.map { layers.layers[$0] }
    var interface = CoreMLFeatures(model.description)
    var network = CoreMLGraph()
    try interface.addInputs(of: layers, read: read, to: &network)
    try interface.addMeanImages(of: layers, to: &network, store)
    let prefix = members.count { $0.network != nil } > 1 ? "\(members[0].name)/" : ""
    network = try add(layers, prefix: prefix, to: consume network)
    let ports = layers.layers.flatMap(\.outputs).compactMap { name in
      network.blobs[name].map { Port(name: name, value: $0.value) }
    }
    return try network.graph.finish(outputs: ports)
  }
}
