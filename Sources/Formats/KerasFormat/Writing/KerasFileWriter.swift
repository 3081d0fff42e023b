package import Bytes
import HDF5Writing
import JSON
import ZipArchive

/// Writes a model sequentially as a file that Keras can load: the elements of the weights are
/// appended in the order of ``weights``.
package struct KerasFileWriter: ~Copyable {
  /// A weight of a model.
  package struct Weight: Hashable, Sendable {
    /// The name of the layer.
    package let layer: String
    /// The index among the layer's weights.
    package let index: Int
  }

  /// The size in bytes above which Keras splits a list, since HDF5 limits the size of attributes.
  private static let attributeSizeLimit = 64_000

  /// The weights that have elements, in the order in which they are written.
  package let weights: [Weight]
  private let template: HDF5Template
  /// The `.h5` file; `nil` for an archive.
  private var file: AtomicFile?
  private var archive: ZipWriter?
  private var next = 0

  /// Writes everything before the first weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   string that HDF5 cannot store.
  package init(
    _ model: KerasWrittenModel, as format: KerasOutputFormat, to path: String
  ) throws(WeighbridgeError) {
    var model = model
    model = KerasLayerOrder.ordering(model)
    let (builder, datasets) =
      format == .archive ? Self.objectLayout(of: model) : Self.legacyLayout(of: model)
    let template = try HDF5Template(builder, near: path)
    let weights = template.datasets.map { datasets[$0] }
    let file = try Self.file(format, path)
    let archive = try Self.archive(format, model, weightSize: template.byteCount, path)
    self.weights = weights
    self.file = file
    self.archive = archive
    self.template = template
  }

  private static func file(
    _ format: KerasOutputFormat, _ path: String
  ) throws(WeighbridgeError) -> AtomicFile? {
    guard format == .hdf5 else { return nil }
    return try AtomicFile(path: path)
  }

  /// Begins the next weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func beginWeight() throws(WeighbridgeError) {
    let bytes = try template.bytes(before: next)
    try unsafe append(bytes.span.bytes)
    next += 1
  }

  /// Appends elements of the current weight, in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    try file?.append(bytes)
    try archive?.append(bytes)
  }

  /// Finishes the file and moves it to its path.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(next == weights.count, "weights are missing")
    let bytes = try template.bytes(before: next)
    try unsafe append(bytes.span.bytes)
    if let file = file.take() { try file.commit(replacing: replacing) }
    if var archive = archive.take() {
      try archive.end()
      try archive.commit(replacing: replacing)
    }
  }

  /// Writes an archive up to the member with the weights.
  private static func archive(
    _ format: KerasOutputFormat, _ model: KerasWrittenModel, weightSize: Int, _ path: String
  ) throws(WeighbridgeError) -> ZipWriter? {
    guard format == .archive else { return nil }
    var archive = try ZipWriter(path: path)
    let metadata: JSONObject = [
      "keras_version": .string(KerasOutputFormat.archive.version),
      "date_saved": "1980-01-01@00:00:00",  // the date of the archive's members: no clock is read
    ]
    var members = [
      (KerasArchive.metadataName, JSONValue.object(metadata)),
      (KerasArchive.configName, model.json(.archive)),
    ]
    if !model.customMetadata.isEmpty {
      members.append((KerasArchive.customMetadataName, customMetadata(of: model)))
    }
    for (name, json) in members {
      let text = Array(json.text().utf8)
      try archive.begin(name, byteCount: text.count)
      try unsafe archive.append(text.span.bytes)
      try archive.end()
    }
    try archive.begin(KerasArchive.weightsName, byteCount: weightSize)
    return archive
  }

  private static func customMetadata(of model: KerasWrittenModel) -> JSONValue {
    var object = JSONObject()
    for (key, value) in model.customMetadata { object[key] = .string(value) }
    return .object(object)
  }

  /// The layout of `model.weights.h5`, with a group for each object, named after its class, and the
  /// weight of each dataset.
  private static func objectLayout(of model: KerasWrittenModel) -> (HDF5Builder, [Weight]) {
    var (builder, datasets) = (HDF5Builder(), [Weight]())
    var names = KerasObjectNames()
    builder.addGroup("/vars")
    builder.setString("name", model.name, of: "/vars")
    for layer in model.layers where layer.module == "keras.layers" {
      let layerGroup = "/layers/\(names.next(layer.className))"
      builder.addGroup("\(layerGroup)/vars")
      builder.setString("name", layer.name, of: "\(layerGroup)/vars")
      var counts: [String: Int] = [:]
      for (index, weight) in layer.weights.enumerated() {
        let group = weight.owner.isEmpty ? layerGroup : "\(layerGroup)/\(weight.owner)"
        let number = counts[group, default: 0]
        counts[group] = number + 1
        builder.addDataset("\(group)/vars/\(number)", weight.elementType, shape: weight.shape)
        if weight.elementType == .bfloat16 {
          builder.setString("dtype", "bfloat16", of: "\(group)/vars/\(number)")
        }
        datasets.append(Weight(layer: layer.name, index: index))
      }
    }
    return (builder, datasets)
  }

  /// The layout of an `.h5` file, with a group for each layer and lists of names, and the weight of
  /// each dataset.
  private static func legacyLayout(of model: KerasWrittenModel) -> (HDF5Builder, [Weight]) {
    var (builder, datasets) = (HDF5Builder(), [Weight]())
    builder.setString("backend", "tensorflow", of: "/")
    builder.setString("keras_version", KerasOutputFormat.hdf5.version, of: "/")
    builder.setString("model_config", model.json(.hdf5).text(), of: "/")
    if !model.customMetadata.isEmpty {
      builder.setString(
        KerasCustomMetadata.attributeName, customMetadata(of: model).text(), of: "/")
    }
    let root = "/model_weights"
    builder.addGroup(root)
    builder.setString("backend", "tensorflow", of: root)
    builder.setString("keras_version", KerasOutputFormat.hdf5.version, of: root)
    addList("layer_names", model.layers.map(\.name), to: root, &builder)
    for layer in model.layers {
      let group = "\(root)/\(layer.name)"
      builder.addGroup(group)
      let names = layer.weights.map { weight in
        ([layer.name] + (weight.owner.isEmpty ? [] : [weight.owner]) + ["\(weight.name):0"])
          .joined(separator: "/")
      }
      addList("weight_names", names, to: group, &builder)
      for (index, (name, weight)) in zip(names, layer.weights).enumerated() {
        builder.addDataset("\(group)/\(name)", weight.elementType, shape: weight.shape)
        datasets.append(Weight(layer: layer.name, index: index))
      }
    }
    return (builder, datasets)
  }

  /// Adds a list of names, split into as many attributes as HDF5 requires.
  private static func addList(
    _ name: String, _ values: [String], to path: String, _ builder: inout HDF5Builder
  ) {
    let width = values.map(\.utf8.count).max() ?? 0
    let count = max(1, attributeSizeLimit / max(1, width))
    guard values.count > count else { return builder.setStrings(name, values, of: path) }
    for (part, start) in stride(from: 0, to: values.count, by: count).enumerated() {
      let chunk = Array(values[start..<min(start + count, values.count)])
      builder.setStrings("\(name)\(part)", chunk, of: path)
    }
  }
}
