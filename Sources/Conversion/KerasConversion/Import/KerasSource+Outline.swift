package import Bytes
package import ConversionCore
import GraphIR
import JSON
package import KerasFormat
import LayerCatalog

extension KerasSource {
  /// Returns the layers of the file, with the output types of those that can be imported.
  package func outline() -> ModelOutline {
    var outline = ModelOutline(format: formatName, byteCount: weightByteCount)
    outline.provenance.framework = "keras"
    outline.provenance.frameworkVersion = version?.description
    outline.provenance.backend = backend
    let groups = (try? file?.weightGroups(of: model, KerasMappings.parts)) ?? []
    outline.weights = groups.flatMap(\.weights).map(\.named)
    let writer = KerasProducer(
      of: model, version: version, backend: backend,
      weightNames: groups.flatMap(\.weights).map(\.name)
    ) { _ in }
    add(model, path: "", unit: nil, to: &outline)
    let dialect = Keras1Dialect(writer, model)
    noteUnknown(model, path: "", dialect, in: &outline)
    var permissive = custom
    permissive.keepsUnknown = true
    // What follows unknown layers can be inferred where the file states their outputs.
    if let graph = try? partialGraph(model, permissive, writer) {
      outline.merge(graph)
    } else {
      outline.attemptImport { (units) throws(WeighbridgeError) in
        try partialGraph(model.keeping(units), custom, writer)
      }
    }
    let counts = Dictionary(
      groups.map {
        ($0.layerName, $0.weights.reduce(0) { $0 &+ ModelOutline.elementCount($1.shape) })
      },
      uniquingKeysWith: { first, _ in first })
    for index in outline.layers.indices {
      let layer = outline.layers[index]
      outline.layers[index].parameterCount = layer.parameterCount ?? counts[layer.name]
      if layer.outputs.isEmpty, let type = stated(layer.name) {
        outline.layers[index].outputs = [type]
      }
    }
    if outline.inputs.isEmpty {
      outline.inputs = model.inputs.compactMap { input in
        stated(input.layer).map { (input.layer, $0) }
      }
    }
    let outputNames = Set(model.outputs.map(\.layer))
    outline.outputs = outline.layers.filter { outputNames.contains($0.name) && !$0.outputs.isEmpty }
      .map { ($0.name, $0.outputs[0]) }
    return outline
  }

  private func partialGraph(
    _ model: KerasModelRecord, _ custom: CustomLayerPolicy, _ writer: KerasProducer
  ) throws(WeighbridgeError) -> Graph {
    // Shapes do not need the weights.
    let known = try? weights()
    return try KerasImporter.importModel(
      model, writer: writer, weights: known ?? [:], weightStorage: weightStorage, custom: custom,
      zerosLimit: known == nil ? LayerSurvey.weightLimit : zerosLimit
    ).graph
  }

  /// Adds a model's layers; those of a nested model belong to the unit of the layer around it.
  private func add(
    _ model: KerasModelRecord, path: String, unit: Int?, to outline: inout ModelOutline
  ) {
    for (position, record) in model.layers.enumerated() {
      let inputs = record.calls.first?.allInputs.map(\.layer) ?? []
      var layer = ModelOutline.Layer(
        name: path + record.name, className: record.className, inputs: inputs.map { path + $0 },
        label: KerasImporter.label(record, path), unit: unit ?? position)
      if unit == nil {
        let references = record.calls.flatMap(\.allInputs)
        layer.sources = Set(references.compactMap { model.layerIndices[$0.layer] })
      }
      outline.layers.append(layer)
      if let inner = try? KerasImporter.innerModel(record) {
        add(inner, path: "\(path)\(record.name)/", unit: unit ?? position, to: &outline)
      }
    }
  }

  /// Records which layers cannot be built, and why.
  private func noteUnknown(
    _ model: KerasModelRecord, path: String, _ dialect: Keras1Dialect?,
    in outline: inout ModelOutline
  ) {
    var strict = custom
    strict.keepsUnknown = false
    for record in model.layers where record.className != "InputLayer" {
      if let inner = try? KerasImporter.innerModel(record) {
        noteUnknown(inner, path: "\(path)\(record.name)/", dialect, in: &outline)
        continue
      }
      guard
        let error = failure(in: { () throws(WeighbridgeError) in
          _ = try strict.builder(of: try dialect?.form(of: record).record ?? record, path: path)
        }), let index = outline.layers.firstIndex(where: { $0.name == path + record.name })
      else { continue }
      let reason = Catalog.kerasRefusals[record.className] ?? error.reason
      outline.layers[index].problem = outline.layers[index].problem ?? reason
    }
  }

  private func failure(in body: () throws(WeighbridgeError) -> Void) -> WeighbridgeError? {
    do {
      try body()
      return nil
    } catch { return error }
  }

  /// The type that the file itself states for a layer's output or an input.
  private func stated(_ name: String) -> TensorType? {
    if let type = model.statedTypes[KerasTensorReference(layer: name)],
      let elementType = ElementType(rawValue: type.dtype)
    {
      return TensorType(elementType, type.shape.map { $0.map(Dimension.fixed) ?? .unknown })
    }
    guard let config = model.layerIndices[name].map({ model.layers[$0].config }),
      model.layers[model.layerIndices[name] ?? 0].className == "InputLayer",
      let shape = (config["batch_input_shape"] ?? config["batch_shape"])?.array
    else { return nil }
    return TensorType(
      config["dtype"]?.string.flatMap(ElementType.init(rawValue:)) ?? .float32,
      shape.map { $0.integer.map(Dimension.fixed) ?? .unknown })
  }

  /// Returns what can be read of a file that is partly broken or from an unknown version of Keras.
  package static func outline(
    _ fragment: KerasFragment, _ store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline {
    let source = fragment.model.flatMap {
      try? KerasSource($0, of: fragment, store, path: path, options: options)
    }
    var outline = source?.outline() ?? ModelOutline(format: "", byteCount: store.count)
    outline.format = "keras \(fragment.container.rawValue)"
    outline.provenance.framework = "keras"
    outline.provenance.frameworkVersion = fragment.version
    outline.provenance.backend = fragment.backend
    outline.weights = fragment.weights.map { ($0.name, TensorType($0.elementType, $0.shape)) }
    for (position, record) in fragment.layers.enumerated() {
      var layer = ModelOutline.Layer(
        name: record.name, className: record.className, inputs: record.inputs, label: "",
        unit: position)
      let own = fragment.weights.filter { $0.name.hasPrefix("\(record.name)/") }
      layer.parameterCount = own.reduce(0) { $0 &+ ModelOutline.elementCount($1.shape) }
      if record.className == "InputLayer", let shape = record.inputShape {
        let type = TensorType(.float32, shape.map { $0.map(Dimension.fixed) ?? .unknown })
        layer.outputs = [type]
        if !record.name.contains("/") { outline.inputs.append((record.name, type)) }
      }
      outline.layers.append(layer)
    }
    return outline
  }

  /// Returns the weights of a file that has nothing else.
  package static func weightOutline(_ store: ByteStore, path: String) -> ModelOutline? {
    let savedModel =
      store.withBytes { KerasTensorFlowFile.recognizes($0) }
      ? KerasTensorFlowFile(tensorsOfSavedModel: path) : nil
    guard let file = (try? modelFile(store, path: path)) ?? savedModel, file.model == nil,
      let groups = try? file.listedGroups()
    else { return nil }
    let framework = savedModel == nil ? "keras" : "tensorflow"
    var outline = ModelOutline(
      format: "\(framework) \(file.formatName)", byteCount: file.weightByteCount)
    outline.provenance.framework = framework
    outline.provenance.frameworkVersion = file.version?.description
    outline.provenance.backend = file.backend
    outline.weights = groups.flatMap(\.weights).map(\.named)
    outline.notes = WeightOrigin.notes(groups)
    return outline
  }
}

extension KerasWeight {
  /// The weight's name and type for a listing.
  fileprivate var named: (name: String, type: TensorType) {
    (String(path.drop { $0 == "/" }), TensorType(elementType, shape))
  }
}
