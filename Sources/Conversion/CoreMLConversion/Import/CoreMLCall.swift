import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A layer of a Core ML network that is being converted to nodes: its settings and weights to read,
/// and the graph to add to.
///
/// Settings are ticked off as they are read; ``finish(_:)`` refuses what is left.
struct CoreMLCall: MappedLayer {
  let layer: CoreMLLayer
  /// The file's bytes, which contain the weights.
  let store: ByteStore
  var network: CoreMLGraph
  /// The layer's inputs, in their order.
  let inputs: [CoreMLBlob]
  private var unread: Set<String>

  /// - Throws: ``WeighbridgeError/Code/malformed`` when no input or earlier layer provides one of
  ///   the layer's inputs.
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

  /// The origin that the nodes record.
  var source: SourceScope { SourceScope(layer: layer.name, className: layer.kind) }

  // MARK: Settings

  /// Reads a setting and ticks it off.
  private mutating func read<Value>(
    _ name: String, _ value: (ProtobufRecord) -> (String) -> Value
  ) -> Value {
    unread.remove(name)
    return value(layer.settings)(name)
  }

  mutating func integer(_ name: String) -> Int { read(name, ProtobufRecord.integer) }

  mutating func real(_ name: String) -> Double { read(name, ProtobufRecord.real) }

  /// Reads a number for which 0 means a default.
  mutating func real(_ name: String, zeroMeans number: Double) -> Double {
    let value = real(name)
    return value == 0 ? number : value
  }

  mutating func flag(_ name: String) -> Bool { read(name, ProtobufRecord.boolean) }

  mutating func choice(_ name: String, default first: String) -> String {
    read(name, ProtobufRecord.choice) ?? first
  }

  mutating func integers(_ name: String) -> [Int] { read(name, ProtobufRecord.integers) }

  /// Reads a list as long as the default, or an empty one, which means the default.
  mutating func integers(_ name: String, default list: [Int]) throws(WeighbridgeError) -> [Int] {
    let values = integers(name)
    guard values.isEmpty || values.count == list.count else {
      throw malformed("\(name) has \(values.count) numbers, expected \(list.count)")
    }
    return values.isEmpty ? list : values
  }

  mutating func flags(_ name: String) -> [Bool] { read(name, ProtobufRecord.booleans) }

  mutating func record(_ name: String) -> ProtobufRecord? { read(name, ProtobufRecord.record) }

  mutating func records(_ name: String) -> [ProtobufRecord] { read(name, ProtobufRecord.records) }

  /// Ticks off settings that have no effect when the model runs.
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
      throw malformed("takes \(inputs.count) inputs, expected 2")
    }
    return (inputs[0], inputs[1])
  }

  /// Returns a tensor with certain axes.
  mutating func value(
    _ blob: CoreMLBlob, _ axes: [CoreMLAxis]
  ) throws(WeighbridgeError) -> ValueID {
    try network.value(blob, axes, for: source)
  }

  /// Returns a tensor with all the axes that it has in Core ML.
  mutating func whole(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    try value(blob, blob.allAxes)
  }

  func type(_ value: ValueID) -> TensorType { network.graph.type(of: value) }

  /// Returns a tensor with the axes of another and other elements.
  func like(_ blob: CoreMLBlob, _ value: ValueID) -> CoreMLBlob {
    CoreMLBlob(value, blob.axes, rank: blob.rank)
  }

  /// Returns a tensor with all its axes.
  mutating func exact(_ value: ValueID) throws(WeighbridgeError) -> CoreMLBlob {
    let rank = type(value).rank
    guard rank <= CoreMLAxis.allCases.count else {
      throw unsupported("makes a tensor of \(rank) axes, and Core ML's have up to 5")
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

  /// Adds a node of this layer. Its settings come from a file, so they are checked like stored
  /// ones.
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
