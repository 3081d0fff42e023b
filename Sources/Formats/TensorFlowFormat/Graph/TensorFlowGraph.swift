package import Bytes
import ProtobufWire

/// An operation of a graph: a `NodeDef`.
package struct TensorFlowNode: Sendable {
  /// Its name, which is unique in its graph.
  package var name = ""
  /// The operator, such as `Conv2D`.
  package var operation = ""
  /// The values that it reads: `name` or `name:1` in a graph, `name:output:0` in a function, and
  /// `^name` for an operation that runs before it.
  package var inputs: [String] = []
  /// The settings, by their names.
  package var attributes: [String: TensorFlowAttribute] = [:]
}

/// A function that graphs call: a `FunctionDef`.
package struct TensorFlowFunction: Sendable {
  package var name = ""
  /// The names of the arguments.
  package var inputs: [String] = []
  /// The names of the results.
  package var outputs: [String] = []
  /// The values that are the results, by their names.
  package var results: [String: String] = [:]
  /// The operations that run whether or not a result needs them.
  package var effects: [String] = []
  package var nodes: [TensorFlowNode] = []
}

/// A graph of operations, and the functions that they call: a `GraphDef`.
package struct TensorFlowGraph: Sendable {
  package var nodes: [TensorFlowNode] = []
  package var functions: [TensorFlowFunction] = []

  /// A graph of more operations is not read.
  private static let nodeLimit = 1 << 20

  init() {}

  /// Whether bytes begin like a `GraphDef` by itself, a frozen graph: with a node that has a name and
  /// an operator.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount > 2, bytes.copied(0..<1) == [0x0A],
      ProtobufRecordReader.leadingFieldNumbers(bytes).isSubset(of: [1, 2, 3, 4]),
      let first = firstNode(bytes)
    else { return false }
    let begin = first.operation.first
    return !first.name.isEmpty && (begin?.isUppercase == true || begin == "_")
  }

  private static func firstNode(_ bytes: RawSpan) -> TensorFlowNode? {
    var cursor = ByteCursor(1..<bytes.byteCount)
    guard let count = try? cursor.varint(bytes), let range = try? cursor.skip(count, in: bytes),
      let node = try? TensorFlowNode(bytes, range)
    else { return nil }
    return node
  }

  /// Reads a `GraphDef`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: nodes.append(try TensorFlowNode(bytes, field.range()))
      case 2:
        try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
          if field.number == 1 { functions.append(try TensorFlowFunction(bytes, field.range())) }
        }
      default: break
      }
      guard nodes.count <= Self.nodeLimit else {
        throw .limitExceeded("has more than \(Self.nodeLimit) operations")
      }
    }
  }
}

extension TensorFlowNode {
  init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    self.init()
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: name = try field.string(in: bytes)
      case 2: operation = try field.string(in: bytes)
      case 3: inputs.append(try field.string(in: bytes))
      case 5:
        let (key, value) = try TensorFlowMap.entry(bytes, field.range())
        guard let value, let attribute = try TensorFlowAttribute(bytes, value) else { return }
        attributes[key] = attribute
      default: break
      }
    }
  }
}

extension TensorFlowFunction {
  init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    self.init()
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: try readSignature(bytes, field.range())
      case 3: nodes.append(try TensorFlowNode(bytes, field.range()))
      case 4:
        let (name, value) = try TensorFlowMap.text(bytes, field.range())
        results[name] = value
      case 6: effects.append(try TensorFlowMap.text(bytes, field.range()).value)
      default: break
      }
    }
  }

  /// Reads an `OpDef`.
  private mutating func readSignature(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: name = try field.string(in: bytes)
      case 2: inputs.append(try TensorFlowMap.text(bytes, field.range()).key)
      case 3: outputs.append(try TensorFlowMap.text(bytes, field.range()).key)
      default: break
      }
    }
  }
}

/// Entries of maps, which are messages of a key and a value.
enum TensorFlowMap {
  /// Reads an entry whose value is a message; `nil` for an empty one.
  static func entry(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) -> (key: String, value: Range<Int>?) {
    var (key, value): (String, Range<Int>?) = ("", nil)
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: key = try field.string(in: bytes)
      case 2: value = try field.range()
      default: break
      }
    }
    return (key, value)
  }

  /// Reads an entry whose value is a string.
  static func text(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) -> (key: String, value: String) {
    let (key, value) = try entry(bytes, message)
    return (key, value.map { String(decoding: bytes.copied($0), as: UTF8.self) } ?? "")
  }
}
