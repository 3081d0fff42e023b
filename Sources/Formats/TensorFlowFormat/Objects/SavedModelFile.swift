package import Bytes
import ProtobufWire

/// The file `saved_model.pb` of a SavedModel (`saved_model.proto`).
package struct SavedModelFile: Sendable {
  /// The file's name.
  package static let name = "saved_model.pb"

  /// The kind of the object that was saved, such as `_tf_keras_sequential`; `nil` without objects, as in
  /// TensorFlow 1.
  package private(set) var identifier: String?
  /// What Keras says about that object as JSON, up to TensorFlow 2.4; empty later, when it is in a
  /// file of its own.
  package private(set) var kerasMetadata = ""
  /// The version of TensorFlow that wrote the file.
  package private(set) var tensorFlowVersion: String?
  /// What the model can be asked to compute.
  package private(set) var signatures: [TensorFlowSignature] = []
  /// The operation that reads the variables from their files, which the graph has too.
  package private(set) var restoringOperation = ""
  /// The objects that functions take besides their arguments, by the functions' names.
  package private(set) var captures: [String: [Int]] = [:]
  /// Where the graph is in the file.
  private var graphRange: Range<Int>?

  /// Reads the graph of operations.
  ///
  /// - Throws: What ``TensorFlowGraph`` throws.
  package func graph(_ bytes: RawSpan) throws(WeighbridgeError) -> TensorFlowGraph {
    try TensorFlowGraph(bytes, graphRange ?? 0..<0)
  }

  /// Whether the object that was saved is a Keras model or layer.
  package var isKeras: Bool { identifier?.hasPrefix("_tf_keras_") == true }

  /// Whether bytes begin like such a file: with the version of its format, 1, and then its graphs.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    let start: [UInt8] = [0x08, 0x01, 0x12]
    return bytes.byteCount > start.count && bytes.copied(0..<start.count) == start
      && ProtobufRecordReader.leadingFieldNumbers(bytes) == [1, 2]
  }

  /// Reads a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   several graphs.
  package init(_ bytes: RawSpan) throws(WeighbridgeError) {
    var graphs: [Range<Int>] = []
    try WireField.forEach(in: bytes, 0..<bytes.byteCount) { (field) throws(WeighbridgeError) in
      if field.number == 2 { graphs.append(try field.range()) }
    }
    var serving = graphs.count == 1 ? graphs : []
    if graphs.count > 1 {
      for graph in graphs where try Self.tags(bytes, graph).contains("serve") {
        serving.append(graph)
      }
    }
    guard let graph = serving.first else {
      throw .unsupported(
        "has \(graphs.count) graphs, each for its own use; one, or one for serving, is expected")
    }
    try WireField.forEach(in: bytes, graph) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: try readInformation(bytes, field.range())
      case 2: graphRange = try field.range()
      case 3: try readSaver(bytes, field.range())
      case 5: signatures.append(try TensorFlowSignature(bytes, entry: field.range()))
      case 7: try readObjects(bytes, field.range())
      default: break
      }
    }
  }

  /// Reads a `SaverDef`.
  private mutating func readSaver(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 3 { restoringOperation = try field.string(in: bytes) }
    }
  }

  /// What a graph is for.
  private static func tags(
    _ bytes: RawSpan, _ graph: Range<Int>
  ) throws(WeighbridgeError) -> [String] {
    var tags: [String] = []
    try WireField.forEach(in: bytes, graph) { (field) throws(WeighbridgeError) in
      guard field.number == 1 else { return }
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        if field.number == 4 { tags.append(try field.string(in: bytes)) }
      }
    }
    return tags
  }

  /// Reads a `MetaInfoDef`.
  private mutating func readInformation(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 5 { tensorFlowVersion = try field.string(in: bytes) }
    }
  }

  /// Reads a `SavedObjectGraph`: of its objects the first, if it is a `SavedUserObject`.
  private mutating func readObjects(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    var root: Range<Int>?
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 1, root == nil { root = try field.range() }
      if field.number == 2 {
        let (name, objects) = try Self.captures(bytes, field.range())
        captures[name] = objects
      }
    }
    guard let root else { return }
    identifier = ""
    try WireField.forEach(in: bytes, root) { (field) throws(WeighbridgeError) in
      guard field.number == 4 else { return }
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        switch field.number {
        case 1: identifier = try field.string(in: bytes)
        case 3: kerasMetadata = try field.string(in: bytes)
        default: break
        }
      }
    }
  }
  /// Reads an entry of the map of concrete functions: a name, and the objects that the function takes
  /// besides its arguments.
  static func captures(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) -> (name: String, objects: [Int]) {
    let (name, value) = try TensorFlowMap.entry(bytes, message)
    var objects: [Int] = []
    guard let value else { return (name, objects) }
    try WireField.forEach(in: bytes, value) { (field) throws(WeighbridgeError) in
      if field.number == 2 { objects += try field.integers(in: bytes) }
    }
    return (name, objects)
  }
}
