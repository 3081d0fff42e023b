import Bytes
import ProtobufWire

/// What a SavedModel can be asked to compute: a `SignatureDef`.
package struct TensorFlowSignature: Sendable {
  /// A value that is given or computed.
  package struct Port: Sendable {
    /// Its name for a user.
    package var name = ""
    /// The value in the graph, such as `StatefulPartitionedCall:0`; empty for one that is not a tensor.
    package var value = ""
    package var type = TensorFlowType(code: 0)
    /// The sizes, -1 for an unknown one; `nil` for an unknown rank.
    package var shape: [Int]?
  }

  /// The name, such as `serving_default`.
  package var name = ""
  package var inputs: [Port] = []
  package var outputs: [Port] = []

  init() {}

  /// Reads an entry of the map of signatures.
  init(_ bytes: RawSpan, entry: Range<Int>) throws(WeighbridgeError) {
    let (name, value) = try TensorFlowMap.entry(bytes, entry)
    self.name = name
    guard let value else { return }
    try WireField.forEach(in: bytes, value) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: inputs.append(try Port(bytes, field.range()))
      case 2: outputs.append(try Port(bytes, field.range()))
      default: break
      }
    }
  }
}

extension TensorFlowSignature.Port {
  /// Reads an entry of the map of inputs or outputs.
  fileprivate init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    let (name, information) = try TensorFlowMap.entry(bytes, message)
    self.init(name: name)
    guard let information else { return }
    shape = []
    try WireField.forEach(in: bytes, information) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: value = try field.string(in: bytes)
      case 2: type = TensorFlowType(code: try field.integer())
      case 3: shape = try TensorFlowShape.read(bytes, field.range())
      default: break
      }
    }
  }
}
