package import Bytes
import ProtobufWire

/// The contents of the lookup tables of a SavedModel: a table is an object that a function fills
/// with two constants of the graph, the keys and the values.
package struct SavedTables: Sendable {
  /// The function that fills a table, by the table's object.
  private var initializers: [Int: Int] = [:]
  /// The names of a function's graphs, by its object.
  private var functions: [Int: String] = [:]
  /// The names of constants, by their objects.
  private var constants: [Int: String] = [:]
  /// The objects that a function's graph takes, by its name.
  private var inputs: [String: [Int]] = [:]
  /// The values of the graph's constants, by their names.
  private var values: [String: [String]] = [:]

  /// Reads the tables of `saved_model.pb`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package init(_ bytes: RawSpan) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, 0..<bytes.byteCount) { (field) throws(WeighbridgeError) in
      guard field.number == 2 else { return }
      var graph: Range<Int>?
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        if field.number == 2 { graph = try field.range() }
        if field.number == 7 { try readObjects(bytes, field.range()) }
      }
      if let graph { try readConstants(bytes, graph) }
    }
  }

  /// The keys of a table and their values; `nil` for an object that is not a table with constants.
  package func contents(ofObject object: Int) -> (keys: [String], values: [String])? {
    guard let initializer = initializers[object], let function = functions[initializer],
      let inputs = inputs[function], inputs.count == 3,
      let keys = constants[inputs[1]].flatMap({ values[$0] }),
      let values = constants[inputs[2]].flatMap({ values[$0] }), keys.count == values.count
    else { return nil }
    return (keys, values)
  }

  /// Reads a `SavedObjectGraph`.
  private mutating func readObjects(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    var count = 0
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1:
        try readObject(count, bytes, field.range())
        count += 1
      case 2:
        let (name, objects) = try SavedModelFile.captures(bytes, field.range())
        inputs[name] = objects
      default: break
      }
    }
  }

  private mutating func readObject(
    _ index: Int, _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1:
        let (child, name) = try Self.pair(bytes, field.range())
        if name == "_initialize" { initializers[index] = child }
      case 6, 8: functions[index] = try Self.pair(bytes, field.range(), name: 1).name
      case 9: constants[index] = try Self.pair(bytes, field.range(), name: 1).name
      default: break
      }
    }
  }

  /// The first number of a message, and its string with a number.
  private static func pair(
    _ bytes: RawSpan, _ message: Range<Int>, name number: Int = 2
  ) throws(WeighbridgeError) -> (index: Int, name: String) {
    var (index, name) = (0, "")
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == number { name = try field.string(in: bytes) }
      if field.number == 1, number != 1 { index = try field.integer() }
    }
    return (index, name)
  }

  /// Reads the lists of integers and strings among the constants of a `GraphDef`.
  private mutating func readConstants(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    let wanted = Set(constants.values)
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      guard field.number == 1 else { return }
      var (name, attributes): (String, [Range<Int>]) = ("", [])
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        if field.number == 1 { name = try field.string(in: bytes) }
        if field.number == 5 { attributes.append(try field.range()) }
      }
      guard wanted.contains(name) else { return }
      for attribute in attributes {
        if let list = try Self.list(bytes, attribute) { values[name] = list }
      }
    }
  }

  /// The elements of the tensor in an attribute, as text; `nil` for another attribute or type.
  private static func list(
    _ bytes: RawSpan, _ attribute: Range<Int>
  ) throws(WeighbridgeError) -> [String]? {
    var list: [String]?
    try WireField.forEach(in: bytes, attribute) { (field) throws(WeighbridgeError) in
      guard field.number == 2 else { return }
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        if field.number == 8 { list = try TensorFlowTensor(bytes, field.range()).texts(in: bytes) }
      }
    }
    return list
  }
}

extension TensorFlowTensor {
  /// The elements of a list of int64 or strings; `nil` for another tensor. Those of a table are all
  /// different, so that none stands for several.
  fileprivate func texts(in bytes: RawSpan) throws(WeighbridgeError) -> [String]? {
    guard shape.count == 1 else { return nil }
    var texts = strings.map { String(decoding: $0, as: UTF8.self) }
    if type.elementType == .int64 {
      let listed = contents.map { bytes.copied($0) } ?? elements
      var cursor = ByteCursor(0..<listed.count)
      while cursor.remaining > 0 {
        let number = try unsafe cursor.integer(UInt64.self, from: listed.span.bytes)
        texts.append(String(Int64(bitPattern: number)))
      }
    }
    return texts.count == shape[0] ? texts : nil
  }
}
