package import Bytes
import CONNX
package import ProtobufWire

/// An ONNX file whose graph has been read. The elements of tensors stay in the mapped file.
package struct ONNXFile: Sendable {
  /// The file.
  package let store: ByteStore
  /// The operators that the file uses.
  package let outline: ONNXOutline
  /// The names of the ignored parts of the file.
  package let ignored: [String]
  private let record: ProtobufRecord

  /// Whether bytes begin like an ONNX file: with fields of a `ModelProto`, including the graph.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    let numbers = ProtobufRecordReader.leadingFieldNumbers(bytes)
    return numbers.contains(7) && numbers.isSubset(of: [1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25, 26])
  }

  /// Reads a file.
  ///
  /// - Parameter limits: The limits of what is accepted, except for the elements of tensors.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   unknown fields; ``WeighbridgeError/Code/limitExceeded``. The location is the byte offset.
  package init(
    _ store: ByteStore, limits: ProtobufLimits = ProtobufLimits()
  ) throws(WeighbridgeError) {
    guard let descriptor = unsafe MessageDescriptor(onnx_model_descriptor()),
      let tensor = unsafe MessageDescriptor(onnx_tensor_descriptor())
    else {
      throw .unsupported("this build of Weighbridge has no ONNX schema")
    }
    let record = try store.withBytes { (bytes) throws(WeighbridgeError) in
      // 4, 9 and 10: float_data, raw_data and double_data.
      try ProtobufRecordReader.read(
        bytes, as: descriptor, inPlace: [tensor: [4, 9, 10]], limits: limits)
    }
    self.init(store, record)
  }

  /// Reads as much as possible of a file that ``init(_:limits:)`` rejects, to show its contents.
  package init?(fragmentOf store: ByteStore) {
    guard let descriptor = unsafe MessageDescriptor(onnx_model_descriptor()),
      let tensor = unsafe MessageDescriptor(onnx_tensor_descriptor())
    else {
      return nil
    }
    let record = store.withBytes { bytes in
      ProtobufRecordReader.fragment(bytes, as: descriptor, inPlace: [tensor: [4, 9, 10]])
    }
    guard record.record("graph") != nil else { return nil }
    self.init(store, record)
  }

  private init(_ store: ByteStore, _ record: ProtobufRecord) {
    self.store = store
    self.record = record
    outline = ONNXOutline(record)
    ignored = ["training_info", "configuration"].filter { record[$0] != nil }
  }

  /// Reads the model.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   weights of unknown types.
  package func model() throws(WeighbridgeError) -> ONNXModel { try ONNXModel(record) }

  /// Returns the readable parts of a model that ``model()`` rejects: nodes, without attributes if
  /// these cannot be read, and the tensors of known types. A missing opset is 0.
  package func fragment() -> ONNXModel { ONNXModel(fragmentOf: record) }
}
