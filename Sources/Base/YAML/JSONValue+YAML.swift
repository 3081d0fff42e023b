package import Bytes
package import JSON

extension JSONValue {
  /// Bounds on what ``init(yaml:limits:)`` accepts.
  package struct YAMLLimits: Sendable {
    /// The deepest nesting of lists and mappings.
    package var depth = 500
    /// The largest length of the text in bytes.
    package var byteCount = 1 << 24
    /// The largest number of values once every alias is expanded.
    package var valueCount = 1 << 20

    /// The default limits.
    package init() {}
  }

  /// Parses a YAML 1.1 text of one document as PyYAML does, if JSON can express it.
  ///
  /// Python's tuples and Unicode strings (`!!python/tuple`, `!!python/unicode`) become lists and
  /// strings. Keys are strings, as in Python's JSON writer.
  ///
  /// - Parameter objects: Returns the value of an object, given its tag without `!!` and its
  ///   content; `nil` for an object that JSON cannot express.
  /// - Throws: ``WeighbridgeError/Code/malformed`` with the line,
  ///   ``WeighbridgeError/Code/unsupported`` for tags of objects, or
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init(
    yaml text: [UInt8], limits: YAMLLimits = YAMLLimits(),
    objects: @escaping (_ tag: String, _ content: JSONValue) -> JSONValue? = { _, _ in nil }
  ) throws(WeighbridgeError) {
    guard text.count <= limits.byteCount else {
      throw .limitExceeded(
        "a YAML text of \(text.count) bytes is over the limit of \(limits.byteCount)")
    }
    let parser = try YAMLParser(text)
    var builder = YAMLBuilder(limits: limits, objects: objects)
    while let event = try parser.next() {
      try locating({ $0.at(.line(event.line)) }) { () throws(WeighbridgeError) in
        try builder.add(event)
      }
    }
    guard let root = builder.root else { throw .malformed("not YAML: the document is empty") }
    self = root
  }
}

/// Builds a value from the events of a text.
private struct YAMLBuilder {
  /// A list or mapping that has not ended yet.
  private struct Container {
    var list: [JSONValue] = []
    var members: JSONObject?
    var key: String?
    let anchor: String
    /// The tag of an object; `nil` for a plain list or mapping.
    let tag: String?
    /// The number of its values, including itself.
    var count = 1
  }

  let limits: JSONValue.YAMLLimits
  let objects: (String, JSONValue) -> JSONValue?
  private(set) var root: JSONValue?
  private var open: [Container] = []
  private var anchors: [String: (value: JSONValue, count: Int)] = [:]
  private var documentCount = 0

  init(limits: JSONValue.YAMLLimits, objects: @escaping (String, JSONValue) -> JSONValue?) {
    self.limits = limits
    self.objects = objects
  }

  mutating func add(_ event: YAMLEvent) throws(WeighbridgeError) {
    switch event.content {
    case .document:
      documentCount += 1
      guard documentCount == 1 else {
        throw .malformed("a second YAML document begins; one is expected")
      }
    case .scalar(let text, let isPlain):
      if isKeyNext {
        try setKey(text)
        anchors[event.anchor] = event.anchor.isEmpty ? nil : (.string(text), 1)
      } else {
        var value = try YAMLScalar.value(text, isPlain: isPlain, tag: event.tag)
        if value == nil { value = try object(event.tag, .string(text)) }
        try append(value ?? .null, 1, event.anchor)
      }
    case .list:
      let isPlain = ["", "!", "seq", "python/list", "python/tuple"].contains(event.tag)
      try begin(Container(anchor: event.anchor, tag: isPlain ? nil : event.tag))
    case .mapping:
      let isPlain = ["", "!", "map", "python/dict"].contains(event.tag)
      try begin(
        Container(members: JSONObject(), anchor: event.anchor, tag: isPlain ? nil : event.tag))
    case .end:
      guard let container = open.popLast() else { return }
      let content = container.members.map(JSONValue.object) ?? .array(container.list)
      let value = try container.tag.map { (tag) throws(WeighbridgeError) in
        try object(tag, content)
      }
      try append(value ?? content, container.count, container.anchor)
    case .alias(let name):
      guard let (value, count) = anchors[name] else {
        throw .malformed("the alias *\(name) is undefined")
      }
      guard isKeyNext else { return try append(value, count, "") }
      guard let key = value.string else { throw Self.otherKey }
      try setKey(key)
    case .other: break
    }
  }

  private func object(
    _ tag: String, _ content: JSONValue
  ) throws(WeighbridgeError) -> JSONValue {
    if let value = objects(tag, content) { return value }
    throw .unsupported(
      "has a value with the YAML tag !!\(tag), which is not supported")
  }

  private static var otherKey: WeighbridgeError {
    .unsupported("YAML has a key that is not a string, and only strings can be read")
  }

  /// Whether the next value is the key of a mapping.
  private var isKeyNext: Bool { open.last.map { $0.members != nil && $0.key == nil } ?? false }

  private mutating func begin(_ container: Container) throws(WeighbridgeError) {
    guard !isKeyNext else { throw Self.otherKey }
    open.append(container)
    guard open.count <= limits.depth else {
      throw .limitExceeded("YAML nests deeper than \(limits.depth) levels")
    }
  }

  private mutating func setKey(_ key: String) throws(WeighbridgeError) {
    guard key != "<<" else { throw .unsupported("mappings that are merged (<<) cannot be read") }
    guard open[open.count - 1].members?[key] == nil else {
      throw .malformed("the key \"\(key)\" occurs twice")
    }
    open[open.count - 1].key = key
  }

  /// - Parameter count: The number of its values, including itself.
  private mutating func append(
    _ value: JSONValue, _ count: Int, _ anchor: String
  ) throws(WeighbridgeError) {
    if !anchor.isEmpty { anchors[anchor] = (value, count) }
    guard var container = open.popLast() else {
      root = value
      return
    }
    container.count += count  // both are within the limit
    guard container.count <= limits.valueCount else {
      throw .limitExceeded(
        "YAML has more than \(limits.valueCount) values once its aliases are expanded")
    }
    if let key = container.key {
      container.members?[key] = value
      container.key = nil
    } else {
      container.list.append(value)
    }
    open.append(container)
  }
}
