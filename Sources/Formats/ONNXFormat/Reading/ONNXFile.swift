package import Bytes
import CONNX
package import ProtobufWire

/// An ONNX file, read as far as its graph; the elements of tensors stay in the mapped file.
package struct ONNXFile: Sendable {
  /// The file.
  package let store: ByteStore
  /// Which operators the file uses.
  package let outline: ONNXOutline
  /// Parts of the file that nobody here looks at, in words.
  package let ignored: [String]
  private let record: ProtobufRecord

  /// Whether bytes begin as an ONNX file does: with fields of a `ModelProto`, the graph among them.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    let numbers = ProtobufRecordReader.leadingFieldNumbers(bytes)
    return numbers.contains(7) && numbers.isSubset(of: [1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25, 26])
  }

  /// Reads a file.
  ///
  /// - Parameter limits: What is accepted of everything but the elements of tensors.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for fields
  ///   that are not known; ``WeighbridgeError/Code/limitExceeded``. The place is the byte.
  package init(
    _ store: ByteStore, limits: ProtobufLimits = ProtobufLimits()
  ) throws(WeighbridgeError) {
    guard let descriptor = onnx_model_descriptor(), let tensor = onnx_tensor_descriptor() else {
      throw .unsupported("the schema is not in the program")
    }
    let record = try store.withBytes { (bytes) throws(WeighbridgeError) in
      // 4, 9 and 10: float_data, raw_data and double_data.
      try ProtobufRecordReader.read(
        bytes, as: descriptor, inPlace: [tensor: [4, 9, 10]], limits: limits)
    }
    self.init(store, record)
  }

  /// What can be read of a file that ``init(_:limits:)`` refuses, to show what is in it.
  package init?(fragmentOf store: ByteStore) {
    guard let descriptor = onnx_model_descriptor(), let tensor = onnx_tensor_descriptor() else {
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

  /// What the file says.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for weights
  ///   of types that are not known.
  package func model() throws(WeighbridgeError) -> ONNXModel { try ONNXModel(record) }

  /// What can be read of a model that ``model()`` refuses: of nodes with settings that cannot be read
  /// the rest, and the tensors whose types are known. An opset that is not stated is 0.
  package func fragment() -> ONNXModel { ONNXModel(fragmentOf: record) }
}
