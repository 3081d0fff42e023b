internal import Bytes
internal import CYAML

/// An event of a YAML text: its content and its line (the first is 1).
struct YAMLEvent {
  enum Content {
    case scalar(String, isPlain: Bool)
    case list
    case mapping
    case end
    case alias(String)
    case document
    case other
  }

  let content: Content
  /// The tag, without the prefix of YAML's own tags; empty if there is none.
  var tag = ""
  /// The name by which aliases refer to it; empty if there is none.
  var anchor = ""
  let line: Int
}

/// libyaml's parser over a text, which returns one event after another.
struct YAMLParser: ~Copyable {
  private let text: [UInt8]
  private let state: UnsafeMutablePointer<yaml_parser_t>

  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough memory.
  init(_ text: [UInt8]) throws(WeighbridgeError) {
    self.text = text
    // libyaml keeps pointers into its state, which must not move.
    state = .allocate(capacity: 1)
    state.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(state) == 1 else {
      state.deallocate()
      throw .limitExceeded("not enough memory to read YAML")
    }
    // libyaml requests more of the text through this handler; the context is the reader.
    reader = .allocate(capacity: 1)
    reader.initialize(to: Reader(remaining: text[...]))
    yaml_parser_set_input(
      state,
      { context, buffer, size, count in
        guard let context, let buffer, let count else { return 0 }
        let reader = context.assumingMemoryBound(to: Reader.self)
        let chunk = reader.pointee.remaining.prefix(size)
        chunk.withUnsafeBytes { bytes in
          UnsafeMutableRawBufferPointer(start: buffer, count: size).copyMemory(from: bytes)
        }
        reader.pointee.remaining = reader.pointee.remaining.dropFirst(chunk.count)
        count.pointee = chunk.count
        return 1
      }, reader)
  }

  private struct Reader { var remaining: ArraySlice<UInt8> }
  private let reader: UnsafeMutablePointer<Reader>

  deinit {
    yaml_parser_delete(state)
    state.deallocate()
    reader.deinitialize(count: 1)
    reader.deallocate()
  }

  /// Returns the next event; `nil` at the end of the text.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` with the line.
  func next() throws(WeighbridgeError) -> YAMLEvent? {
    var event = yaml_event_t()
    guard yaml_parser_parse(state, &event) == 1 else { throw failure }
    defer { yaml_event_delete(&event) }
    if event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT { return nil }
    return try Self.event(event)
  }

  private static func event(_ event: yaml_event_t) throws(WeighbridgeError) -> YAMLEvent {
    let line = Int(clamping: event.start_mark.line) + 1
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .malformed("not YAML: a text is not UTF-8").at(.line(line))
      }
      return YAMLEvent(
        content: .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
        tag: tag(scalar.tag), anchor: string(scalar.anchor), line: line)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return YAMLEvent(
        content: .list, tag: tag(start.tag), anchor: string(start.anchor), line: line)
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return YAMLEvent(
        content: .mapping, tag: tag(start.tag), anchor: string(start.anchor), line: line)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      return YAMLEvent(content: .end, line: line)
    case YAML_ALIAS_EVENT:
      return YAMLEvent(content: .alias(string(event.data.alias.anchor)), line: line)
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(content: .document, line: line)
    default: return YAMLEvent(content: .other, line: line)
    }
  }

  private static func tag(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String {
    let (tag, prefix) = (string(bytes), "tag:yaml.org,2002:")
    return tag.hasPrefix(prefix) ? String(tag.dropFirst(prefix.count)) : tag
  }

  private static func string(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String {
    bytes.map { String(cString: $0) } ?? ""
  }

  /// libyaml's error, with its line.
  private var failure: WeighbridgeError {
    if state.pointee.error == YAML_MEMORY_ERROR {
      return .limitExceeded("not enough memory to read YAML")
    }
    let problem = state.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
    let line = Int(clamping: state.pointee.problem_mark.line) + 1
    return .malformed("not YAML: \(problem)").at(.line(line))
  }
}
