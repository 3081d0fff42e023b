package import Bytes
import ProtobufWire

/// Writes an ONNX file sequentially: the small parts are packed by the library, and the elements of
/// the weights follow as they are appended, in the order of ``ONNXGraph/initializers``.
///
/// The fields of a protobuf message can be in any order, so the weights of a graph can come after
/// its nodes, and the elements of a weight after its other fields.
package struct ONNXWriter: ~Copyable {
  /// The destination of the weights' elements.
  package enum Storage: Sendable {
    /// In the model's file.
    case embedded
    /// In a file of external data with this path and name; small weights stay in the model's file.
    case external(path: String, name: String)
  }

  private var file: AtomicFile
  private var data: AtomicFile?
  /// The weights in order, each with the bytes before its elements.
  private let weights: [Weight]
  private var next = 0
  /// The number of bytes still to be appended for the current elements.
  private var remaining = 0

  fileprivate struct Weight {
    let head: [UInt8]
    let byteCount: Int
    /// The offset in the file of external data, if the elements are written there.
    let offset: Int?
  }

  /// Protobuf's limit for the size of a file, in bytes.
  package static let maximumFileSize = Int(Int32.max)

  /// The minimum size in bytes of the elements of a weight that is stored externally.
  private static let externalDataThreshold = 1024

  /// The alignment in bytes of elements in external data, which allows mapping them.
  private static let alignment = 64

  /// Writes everything before the first weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` when a
  ///   string contains a NUL, or the file would be larger than protobuf allows.
  package init(
    _ model: ONNXModel, to path: String, storage: Storage
  ) throws(WeighbridgeError) {
    let weights = try Self.weights(model.graph.initializers, storage)
    let head = try model.packedHead()
    let graph = try model.graph.packedHead()
    let size = graph.count + weights.map(\.fieldSize).reduce(0, +)
    guard head.count + size < Self.maximumFileSize - 16 else {
      throw .unsupported(
        "an .onnx file of \(size) bytes is more than 2 GB; store the weights in an external file")
    }
    var file = try AtomicFile(path: path)
    try unsafe file.append((head + ProtobufField.header(7, byteCount: size) + graph).span.bytes)
    let data = try Self.dataFile(storage)
    self.file = file
    self.data = data
    self.weights = weights
  }

  private static func dataFile(_ storage: Storage) throws(WeighbridgeError) -> AtomicFile? {
    guard case .external(let path, _) = storage else { return nil }
    return try AtomicFile(path: path)
  }

  /// The weights with the bytes that precede their elements.
  private static func weights(
    _ initializers: [ONNXInitializer], _ storage: Storage
  ) throws(WeighbridgeError) -> [Weight] {
    var end = 0
    var weights: [Weight] = []
    for initializer in initializers {
      let byteCount = initializer.byteCount
      guard case .external(_, let fileName) = storage, byteCount >= externalDataThreshold
      else {
        let head =
          try initializer.packedHead(nil) + ProtobufField.header(9, byteCount: byteCount)
        weights.append(Weight(head: head, byteCount: byteCount, offset: nil))
        continue
      }
      let offset = (end + alignment - 1) / alignment * alignment
      let location = ONNXInitializer.ExternalLocation(fileName: fileName, offset: offset)
      weights.append(
        Weight(head: try initializer.packedHead(location), byteCount: byteCount, offset: offset))
      end = offset + byteCount
    }
    return weights
  }

  /// Begins the next weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func beginWeight() throws(WeighbridgeError) {
    precondition(remaining == 0, "elements of a weight are missing")
    let weight = weights[next]
    let head = ProtobufField.header(5, byteCount: weight.messageSize) + weight.head
    try unsafe file.append(head.span.bytes)
    remaining = weight.byteCount
    if let offset = weight.offset, let end = data?.count { data?.skip(offset - end) }
    next += 1
  }

  /// Appends elements of the current weight, in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    remaining -= bytes.byteCount
    precondition(remaining >= 0, "more elements than the weight has")
    if weights[next - 1].offset == nil {
      try file.append(bytes)
    } else {
      try data?.append(bytes)
    }
  }

  /// Finishes the files and moves them to their paths, the model last.
  ///
  /// - Parameter replacing: Whether existing files may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(next == weights.count && remaining == 0, "weights are missing")
    if let data = data.take() { try data.commit(replacing: replacing) }
    try file.commit(replacing: replacing)
  }
}

extension ONNXWriter.Weight {
  /// The size of the tensor's message.
  fileprivate var messageSize: Int { head.count + (offset == nil ? byteCount : 0) }

  /// The size of the message with its tag and length.
  fileprivate var fieldSize: Int {
    ProtobufField.header(5, byteCount: messageSize).count + messageSize
  }
}
