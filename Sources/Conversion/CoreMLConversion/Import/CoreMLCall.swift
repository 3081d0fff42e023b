import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// One layer of a Core ML network while it becomes nodes: its settings and weights to read, and the
/// graph to add to.
///
/// Settings are crossed off as they are read; ``finish(_:)`` refuses what is left.
struct CoreMLCall: MappedLayer {
  let layer: CoreMLLayer
  /// The file's bytes, which hold the weights.
  let store: ByteStore
  var network: CoreMLGraph
  /// The layer's inputs, in their order.
  let inputs: [CoreMLBlob]
  private var unread: Set<String>

  /// - Throws: ``WeighbridgeError/Code/malformed`` when nobody made what the layer takes.
  init(_ layer: CoreMLLayer, store: ByteStore, network: CoreMLGraph) throws(WeighbridgeError) {
    self.layer = layer
    self.store = store
    self.network = network
    unread = Set(layer.settings.fields.keys)
    var inputs: [CoreMLBlob] = []
    for name in layer.inputs where !network.omitted.contains(name) {
      guard let blob = network.blobs[name] else {
        throw .malformed("takes \(name), which no input or earlier layer gives")
      }
      inputs.append(blob)
    }
    self.inputs = inputs
  }

  /// Where the nodes come from.
  var source: SourceScope { SourceScope(layer: layer.name, className: layer.kind) }

  // MARK: Settings

  /// The value of a setting, which is crossed off.
  private mutating func read<Value>(
    _ name: String, _ value: (ProtobufRecord) -> (String) -> Value
  ) -> Value {
    unread.remove(name)
    return value(layer.settings)(name)
  }

  mutating func integer(_ name: String) -> Int { read(name, ProtobufRecord.integer) }

  mutating func real(_ name: String) -> Double { read(name, ProtobufRecord.real) }

  /// A number for which 0 stands for another one.
  mutating func real(_ name: String, zeroMeans number: Double) -> Double {
    let value = real(name)
    return value == 0 ? number : value
  }

  mutating func flag(_ name: String) -> Bool { read(name, ProtobufRecord.boolean) }

  mutating func choice(_ name: String, default first: String) -> String {
    read(name, ProtobufRecord.choice) ?? first
  }

  mutating func integers(_ name: String) -> [Int] { read(name, ProtobufRecord.integers) }

  /// A list of so many numbers, or none, which stands for the default.
  mutating func integers(_ name: String, default list: [Int]) throws(WeighbridgeError) -> [Int] {
    let values = integers(name)
    guard values.isEmpty || values.count == list.count else {
      throw malformed("\(name) has \(values.count) numbers, and \(list.count) belong there")
    }
    return values.isEmpty ? list : values
  }

  mutating func flags(_ name: String) -> [Bool] { read(name, ProtobufRecord.booleans) }

  mutating func record(_ name: String) -> ProtobufRecord? { read(name, ProtobufRecord.record) }

  mutating func records(_ name: String) -> [ProtobufRecord] { read(name, ProtobufRecord.records) }

  /// Crosses off settings that mean nothing when the model runs.
  mutating func ignore(_ names: String...) { unread.subtract(names) }

  // MARK: Tensors

  /// The layer's only input.
  func input() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 1 else {
      throw unsupported("takes \(inputs.count) inputs, and one is understood")
    }
    return inputs[0]
  }

  /// The layer's two inputs.
  func pair() throws(WeighbridgeError) -> (CoreMLBlob, CoreMLBlob) {
    guard inputs.count == 2 else {
      throw malformed("takes \(inputs.count) inputs, and two belong there")
    }
    return (inputs[0], inputs[1])
  }

  /// A tensor with certain axes.
  mutating func value(
    _ blob: CoreMLBlob, _ axes: [CoreMLAxis]
  ) throws(WeighbridgeError) -> ValueID {
    try network.value(blob, axes, for: source)
  }

  /// A tensor with all the axes that it has for Core ML.
  mutating func whole(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    try value(blob, blob.allAxes)
  }

  func type(_ value: ValueID) -> TensorType { network.graph.type(of: value) }

  /// A tensor that has the axes of another, with other elements.
  func like(_ blob: CoreMLBlob, _ value: ValueID) -> CoreMLBlob {
    CoreMLBlob(value, blob.axes, rank: blob.rank)
  }

  /// A tensor with all its axes.
  mutating func exact(_ value: ValueID) throws(WeighbridgeError) -> CoreMLBlob {
    let rank = type(value).rank
    guard rank <= CoreMLAxis.allCases.count else {
      throw unsupported("makes a tensor of \(rank) axes, and Core ML's have up to 5")
    }
    return CoreMLBlob(value, rank: rank)
  }

  /// Adds a node of this layer that makes one tensor.
  ///
  /// - Parameter role: What the node is when the layer becomes several.
  mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> ValueID {
    try addAll(operation, inputs, role: role)[0]
  }

  /// Adds a node of this layer. Its settings come from a file, so they are checked as stored ones.
  mutating func addAll(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    var reader = try AttributeReader(operation.attributes, of: operation.kind)
    _ = try Swift.type(of: operation).init(reading: &reader)
    return try addNode(operation, inputs, role: role)
  }

  /// Adds numbers that the settings hold.
  mutating func constant(
    _ role: String, shape: [Int], _ numbers: [Double]
  ) throws(WeighbridgeError) -> ValueID {
    try addWeight(role, Tensor(.float32, shape: shape, numbers))
  }

  /// Ends the reading.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for another number of outputs than the layer
  ///   names, and for a name that is taken; ``WeighbridgeError/Code/unsupported`` for a setting that
  ///   nobody read.
  mutating func finish(_ outputs: [CoreMLBlob]) throws(WeighbridgeError) {
    for name in unread.sorted() { throw unsupported("has a setting \(name) that is not known") }
    guard layer.outputs.count <= outputs.count, !layer.outputs.isEmpty else {
      throw malformed("names \(layer.outputs.count) outputs, and makes \(outputs.count)")
    }
    for (name, blob) in zip(layer.outputs, outputs) {
      guard network.blobs.updateValue(blob, forKey: name) == nil else {
        throw malformed("gives \(name), which is there already")
      }
    }
  }
}
