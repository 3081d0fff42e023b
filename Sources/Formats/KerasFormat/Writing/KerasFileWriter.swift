package import Bytes
import HDF5Writing
import JSON
import ZipArchive

/// Writes a model as a file that Keras can load, from front to back: the elements of the weights
/// are appended in the order of ``weights``.
package struct KerasFileWriter: ~Copyable {
  /// A weight of a model.
  package struct Weight: Hashable, Sendable {
    /// The name of the layer.
    package let layer: String
    /// The position among the layer's weights.
    package let index: Int
  }

  /// HDF5 limits the size of an object's attribute to this many bytes; Keras divides longer lists.
  private static let listSize = 64_000

  /// The weights that have elements, in the order in which they are written.
  package let weights: [Weight]
  private let skeleton: HDF5Template
  /// The `.h5` file; `nil` for an archive.
  private var file: AtomicFile?
  private var archive: ZipWriter?
  private var next = 0

  /// Writes everything before the first weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   string that HDF5 cannot store.
  package init(
    _ model: KerasWrittenModel, as form: KerasForm, to path: String
  ) throws(WeighbridgeError) {
    var model = model
    model.layers = KerasLayerOrder.positions(model).map { model.layers[$0] }
    let (builder, owners) = form == .archive ? Self.objects(model) : Self.named(model)
    let skeleton = try HDF5Template(builder, near: path)
    let weights = skeleton.datasets.map { owners[$0] }
    let file = try Self.file(form, path)
    let archive = try Self.archive(form, model, weightSize: skeleton.byteCount, path)
    self.weights = weights
    self.file = file
    self.archive = archive
    self.skeleton = skeleton
  }

  private static func file(
    _ form: KerasForm, _ path: String
  ) throws(WeighbridgeError) -> AtomicFile? {
    guard form == .hdf5 else { return nil }
    return try AtomicFile(path: path)
  }

  /// Begins the next weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func beginWeight() throws(WeighbridgeError) {
    let bytes = try skeleton.bytes(before: next)
    try append(bytes.span.bytes)
    next += 1
  }

  /// Appends elements of the weight, in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    try file?.append(bytes)
    try archive?.append(bytes)
  }

  /// Puts the file in place.
  ///
  /// - Parameter replacing: Whether a file of that name may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(next == weights.count, "weights are missing")
    let bytes = try skeleton.bytes(before: next)
    try append(bytes.span.bytes)
    if let file = file.take() { try file.commit(replacing: replacing) }
    if var archive = archive.take() {
      try archive.end()
      try archive.commit(replacing: replacing)
    }
  }

  /// Writes an archive up to the member with the weights.
  private static func archive(
    _ form: KerasForm, _ model: KerasWrittenModel, weightSize: Int, _ path: String
  ) throws(WeighbridgeError) -> ZipWriter? {
    guard form == .archive else { return nil }
    var archive = try ZipWriter(path: path)
    let metadata: JSONObject = [
      "keras_version": .string(KerasForm.archive.version),
      "date_saved": "1980-01-01@00:00:00",  // the date of the archive's members: no clock is read
    ]
    var members = [
      (KerasArchive.metadataName, JSONValue.object(metadata)),
      (KerasArchive.configName, model.json(.archive)),
    ]
    if !model.texts.isEmpty { members.append((KerasArchive.textsName, texts(model))) }
    for (name, json) in members {
      let text = Array(json.text().utf8)
      try archive.begin(name, byteCount: text.count)
      try archive.append(text.span.bytes)
      try archive.end()
    }
    try archive.begin(KerasArchive.weightsName, byteCount: weightSize)
    return archive
  }

  private static func texts(_ model: KerasWrittenModel) -> JSONValue {
    var object = JSONObject()
    for (key, value) in model.texts { object[key] = .string(value) }
    return .object(object)
  }

  /// The layout of `model.weights.h5`: a group for each object, named after its class.
  private static func objects(_ model: KerasWrittenModel) -> (HDF5Builder, [Weight]) {
    var (builder, owners) = (HDF5Builder(), [Weight]())
    var names = KerasObjectNames()
    builder.addGroup("/vars")
    builder.setText("name", model.name, of: "/vars")
    for layer in model.layers where layer.module == "keras.layers" {
      let place = "/layers/\(names.next(layer.className))"
      builder.addGroup("\(place)/vars")
      builder.setText("name", layer.name, of: "\(place)/vars")
      var counts: [String: Int] = [:]
      for (index, weight) in layer.weights.enumerated() {
        let owner = weight.owner.isEmpty ? place : "\(place)/\(weight.owner)"
        let number = counts[owner, default: 0]
        counts[owner] = number + 1
        builder.addDataset("\(owner)/vars/\(number)", weight.elementType, shape: weight.shape)
        if weight.elementType == .bfloat16 {
          builder.setText("dtype", "bfloat16", of: "\(owner)/vars/\(number)")
        }
        owners.append(Weight(layer: layer.name, index: index))
      }
    }
    return (builder, owners)
  }

  /// The layout of an `.h5`: a group for each layer, with lists of names.
  private static func named(_ model: KerasWrittenModel) -> (HDF5Builder, [Weight]) {
    var (builder, owners) = (HDF5Builder(), [Weight]())
    builder.setText("backend", "tensorflow", of: "/")
    builder.setText("keras_version", KerasForm.hdf5.version, of: "/")
    builder.setText("model_config", model.json(.hdf5).text(), of: "/")
    if !model.texts.isEmpty {
      builder.setText(KerasStrings.attributeName, texts(model).text(), of: "/")
    }
    let root = "/model_weights"
    builder.addGroup(root)
    builder.setText("backend", "tensorflow", of: root)
    builder.setText("keras_version", KerasForm.hdf5.version, of: root)
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
        owners.append(Weight(layer: layer.name, index: index))
      }
    }
    return (builder, owners)
  }

  /// Adds a list of names, in as many parts as HDF5 requires.
  private static func addList(
    _ name: String, _ texts: [String], to path: String, _ builder: inout HDF5Builder
  ) {
    let width = texts.map(\.utf8.count).max() ?? 0
    let count = max(1, listSize / max(1, width))
    guard texts.count > count else { return builder.setList(name, texts, of: path) }
    for (part, start) in stride(from: 0, to: texts.count, by: count).enumerated() {
      let texts = Array(texts[start..<min(start + count, texts.count)])
      builder.setList("\(name)\(part)", texts, of: path)
    }
  }
}
