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
@safe struct YAMLParser: ~Copyable {
  private let text: [UInt8]
  private let state: UnsafeMutablePointer<yaml_parser_t>

  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough memory.
  init(_ text: [UInt8]) throws(WeighbridgeError) {
    self.text = text
    // libyaml keeps pointers into its state, which must not move.
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: yaml_parser_t())
    guard unsafe yaml_parser_initialize(state) == 1 else {
      unsafe state.deallocate()
      throw .limitExceeded("not enough memory to read YAML")
    }
    // libyaml requests more of the text through this handler; the context is the reader.
    unsafe reader = .allocate(capacity: 1)
    unsafe reader.initialize(to: Reader(remaining: text[...]))
    unsafe yaml_parser_set_input(
      state,
      { context, buffer, size, count in
        guard let context = unsafe context, let buffer = unsafe buffer, let count = unsafe count
        else { return 0 }
        let reader = unsafe context.assumingMemoryBound(to: Reader.self)
        let chunk = unsafe reader.pointee.remaining.prefix(size)
        unsafe chunk.withUnsafeBytes { bytes in
          unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size).copyMemory(from: bytes)
        }
        unsafe reader.pointee.remaining = unsafe reader.pointee.remaining.dropFirst(chunk.count)
        unsafe count.pointee = chunk.count
        return 1
      }, unsafe reader)
  }

  private struct Reader { var remaining: ArraySlice<UInt8> }
  private let reader: UnsafeMutablePointer<Reader>

  deinit {
    unsafe yaml_parser_delete(state)
    unsafe state.deallocate()
    unsafe reader.deinitialize(count: 1)
    unsafe reader.deallocate()
  }

  /// Returns the next event; `nil` at the end of the text.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` with the line.
  func next() throws(WeighbridgeError) -> YAMLEvent? {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(state, &event) == 1 else { throw failure }
    defer { unsafe yaml_event_delete(&event) }
    if unsafe event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT { return nil }
    return try unsafe Self.event(event)
  }

  private static func event(_ event: yaml_event_t) throws(WeighbridgeError) -> YAMLEvent {
    let line = unsafe Int(clamping: event.start_mark.line) + 1
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
        throw .malformed("not YAML: a text is not UTF-8").at(.line(line))
      }
      return unsafe YAMLEvent(
        content: .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
        tag: tag(scalar.tag), anchor: string(scalar.anchor), line: line)
    case YAML_SEQUENCE_START_EVENT:
      let start = unsafe event.data.sequence_start
      return unsafe YAMLEvent(
        content: .list, tag: tag(start.tag), anchor: string(start.anchor), line: line)
    case YAML_MAPPING_START_EVENT:
      let start = unsafe event.data.mapping_start
      return unsafe YAMLEvent(
        content: .mapping, tag: tag(start.tag), anchor: string(start.anchor), line: line)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      return YAMLEvent(content: .end, line: line)
    case YAML_ALIAS_EVENT:
      return unsafe YAMLEvent(content: .alias(string(event.data.alias.anchor)), line: line)
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(content: .document, line: line)
    default: return YAMLEvent(content: .other, line: line)
    }
  }

  private static func tag(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String {
    let (tag, prefix) = unsafe (string(bytes), "tag:yaml.org,2002:")
    return tag.hasPrefix(prefix) ? String(tag.dropFirst(prefix.count)) : tag
  }

  private static func string(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String {
    unsafe bytes.map { unsafe String(cString: $0) } ?? ""
  }

  /// libyaml's error, with its line.
  private var failure: WeighbridgeError {
    if unsafe state.pointee.error == YAML_MEMORY_ERROR {
      return .limitExceeded("not enough memory to read YAML")
    }
    let problem =
      unsafe state.pointee.problem.map { unsafe String(cString: $0) } ?? "it cannot be read"
    let line = unsafe Int(clamping: state.pointee.problem_mark.line) + 1
    return .malformed("not YAML: \(problem)").at(.line(line))
  }
}
