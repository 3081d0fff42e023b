import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A layer of a Core ML network that is being converted to nodes: its settings and weights to read,
/// and the graph to add to.
///
/// Settings are marked as read; ``finish(_:)`` refuses those that were not.
struct CoreMLLayerImport: MappedLayer {
  /// The layer as it is in the file.
  let definition: CoreMLLayer
  /// The file's bytes, which contain the weights.
  let store: ByteStore
  var network: CoreMLGraph
  /// The layer's inputs, in order.
  let inputs: [CoreMLBlob]
  private var unread: Set<String>

  /// - Throws: ``WeighbridgeError/Code/malformed`` when no input or earlier layer provides one of
  ///   the layer's inputs, or one has too few axes.
  init(_ layer: CoreMLLayer, store: ByteStore, network: CoreMLGraph) throws(WeighbridgeError) {
    definition = layer
    self.store = store
    self.network = network
    unread = Set(layer.settings.fields.keys)
    var inputs: [CoreMLBlob] = []
    for name in layer.inputs where !network.omitted.contains(name) {
      guard let blob = network.blobs[name] else {
        throw .malformed("takes \(name), which no input or earlier layer gives")
      }
      try CoreMLRanks.check(layer, blob)
      inputs.append(blob)
    }
    self.inputs = inputs
  }

  /// The origin that the nodes record.
  var source: SourceScope { SourceScope(layer: definition.name, className: definition.kind) }

  // MARK: Settings

  /// Reads a setting and marks it as read.
  private mutating func read<Value>(
    _ name: String, _ reader: (ProtobufRecord) -> (String) -> Value
  ) -> Value {
    unread.remove(name)
    return reader(definition.settings)(name)
  }

  mutating func integer(_ name: String) -> Int { read(name, ProtobufRecord.integer) }

  mutating func double(_ name: String) -> Double { read(name, ProtobufRecord.double) }

  /// Reads a number for which 0 means a default.
  mutating func double(_ name: String, zeroMeans defaultValue: Double) -> Double {
    let value = double(name)
    return value == 0 ? defaultValue : value
  }

  mutating func flag(_ name: String) -> Bool { read(name, ProtobufRecord.boolean) }

  mutating func choice(_ name: String, default defaultName: String) -> String {
    read(name, ProtobufRecord.choice) ?? defaultName
  }

  mutating func integers(_ name: String) -> [Int] { read(name, ProtobufRecord.integers) }

  /// Reads a list as long as the default, or an empty one, which means the default.
  mutating func integers(
    _ name: String, default defaults: [Int]
  ) throws(WeighbridgeError) -> [Int] {
    let values = integers(name)
    guard values.isEmpty || values.count == defaults.count else {
      throw malformed("\(name) has \(values.count.counted("number")), expected \(defaults.count)")
    }
    return values.isEmpty ? defaults : values
  }

  /// Returns the index of an axis; a negative one counts from the end.
  func axis(_ axis: Int, rank: Int) throws(WeighbridgeError) -> Int {
    let index = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(index) else {
      throw malformed("has the axis \(axis), expected \(-rank) to \(rank - 1)")
    }
    return index
  }

  /// Returns the indices of axes, ascending; negative ones count from the end.
  func axes(_ axes: [Int], rank: Int) throws(WeighbridgeError) -> [Int] {
    try axes.map { (axis) throws(WeighbridgeError) in try self.axis(axis, rank: rank) }.sorted()
  }

  /// Reads the setting `axis` as the position of an axis among all those of a tensor.
  mutating func position(of blob: CoreMLBlob) throws(WeighbridgeError) -> Int {
    try axis(integer("axis"), rank: blob.rank)
  }

  /// Reads the setting `axis` as an axis of a tensor.
  mutating func axis(of blob: CoreMLBlob) throws(WeighbridgeError) -> CoreMLAxis {
    blob.allAxes[try position(of: blob)]
  }

  mutating func flags(_ name: String) -> [Bool] { read(name, ProtobufRecord.booleans) }

  mutating func record(_ name: String) -> ProtobufRecord? { read(name, ProtobufRecord.record) }

  mutating func records(_ name: String) -> [ProtobufRecord] { read(name, ProtobufRecord.records) }

  /// Marks settings as read that have no effect when the model runs.
  mutating func ignore(_ names: String...) { unread.subtract(names) }

  // MARK: Tensors

  /// The layer's only input.
  func input() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 1 else {
      throw unsupported(
        "takes \(inputs.count.counted("input")), and such a layer can be read with one")
    }
    return inputs[0]
  }

  /// The layer's two inputs.
  func pair() throws(WeighbridgeError) -> (CoreMLBlob, CoreMLBlob) {
    guard inputs.count == 2 else {
      throw malformed("takes \(inputs.count.counted("input")), expected 2")
    }
    return (inputs[0], inputs[1])
  }

  /// Returns the value of a tensor with certain axes, in their order.
  mutating func value(
    _ blob: CoreMLBlob, _ axes: [CoreMLAxis]
  ) throws(WeighbridgeError) -> ValueID {
    try network.value(blob, axes, for: source)
  }

  /// Returns the value of a tensor with all the axes that it has in Core ML.
  mutating func fullRank(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    try value(blob, blob.allAxes)
  }

  func type(_ value: ValueID) -> TensorType { network.graph.type(of: value) }

  /// Returns a value as a tensor with all the axes of its rank.
  mutating func fullRankBlob(_ value: ValueID) throws(WeighbridgeError) -> CoreMLBlob {
    let rank = type(value).rank
    guard (1...CoreMLAxis.allCases.count).contains(rank) else {
      throw unsupported("makes an array of rank \(rank), and Core ML's have rank 1 to 5")
    }
    return CoreMLBlob(value, rank: rank)
  }

  /// Adds a node of this layer with one output.
  ///
  /// - Parameter role: The node's role when the layer becomes several nodes.
  mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> ValueID {
    try addAll(operation, inputs, role: role)[0]
  }

  /// Adds a node of this layer. Its attributes come from a file, so they are checked like those
  /// of a stored model.
  mutating func addAll(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    var reader = try AttributeReader(operation.attributes, of: operation.kind)
    _ = try Swift.type(of: operation).init(reading: &reader)
    return try addNode(operation, inputs, role: role)
  }

  /// Adds numbers from the settings as a weight.
  mutating func constant(
    _ role: String, shape: [Int], _ numbers: [Double]
  ) throws(WeighbridgeError) -> ValueID {
    try addWeight(role, Tensor(.float32, shape: shape, numbers))
  }

  /// Finishes the layer.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the layer names too many outputs or none,
  ///   or a name that is taken; ``WeighbridgeError/Code/unsupported`` for a setting that was not
  ///   read.
  mutating func finish(_ outputs: [CoreMLBlob]) throws(WeighbridgeError) {
    for name in unread.sorted() {
      throw unsupported("has the setting \(name), and such a layer can be read without it")
    }
    guard definition.outputs.count <= outputs.count, !definition.outputs.isEmpty else {
      throw malformed(
        "names \(definition.outputs.count.counted("output")), expected 1 to \(outputs.count)")
    }
    for (name, blob) in zip(definition.outputs, outputs) {
      guard network.blobs.updateValue(blob, forKey: name) == nil else {
        throw malformed(
          "gives \(name), which an input or an earlier layer gives already; each needs a name of its own"
        )
      }
    }
  }
}
