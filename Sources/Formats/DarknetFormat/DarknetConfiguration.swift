package import Bytes

/// A `.cfg` file: sections of keys and values, parsed as in both forks of darknet.
///
/// All spaces and tabs of a line are removed, even in its middle. A line whose first character is
/// `#` or `;` is a comment; there are no other comments. The first `=` ends the key; a line without
/// one is a key without a value. A byte order mark, which darknet does not accept, is skipped.
package struct DarknetConfiguration: Hashable, Sendable {
  /// The maximum number of sections in a file, several times that of any network.
  package static let sectionLimit = 8_192
  /// The maximum size of a file in bytes.
  package static let byteLimit = 16 << 20

  /// The sections in order; the first is the network's own.
  package let sections: [DarknetSection]

  /// Creates a configuration from sections, the first of which is the network's own.
  package init(sections: [DarknetSection]) { self.sections = sections }

  /// Reads a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at a line that cannot be read,
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init(_ store: ByteStore) throws(WeighbridgeError) {
    guard store.count <= Self.byteLimit else {
      throw .limitExceeded("has \(store.count) bytes, over the limit of \(Self.byteLimit)")
    }
    try self.init(bytes: store.withBytes { $0.copied(0..<$0.byteCount) })
  }

  /// Reads the text of a file.
  ///
  /// - Parameter section: The name of the section of options before the first section header, in
  ///   which every line has a `=`; if `nil`, such options are an error.
  /// - Throws: As ``init(_:)``.
  package init(bytes: [UInt8], section: String? = nil) throws(WeighbridgeError) {
    var sections = section.map { [DarknetSection(name: $0, line: 1)] } ?? []
    let lines = Self.lines(bytes)
    for (index, line) in lines.enumerated() {
      try locating({ $0.at(.line(index + 1)) }) { () throws(WeighbridgeError) in
        try Self.read(line, number: index + 1, allowsBareKeys: section == nil, into: &sections)
      }
    }
    guard !sections.isEmpty else { throw .malformed("has no section") }
    self.sections = sections
  }

  /// Reads the valid lines of a file that ``init(_:)`` rejects, to show its contents.
  package init?(fragmentOf store: ByteStore) {
    guard store.count <= Self.byteLimit else { return nil }
    var sections: [DarknetSection] = []
    let bytes = store.withBytes { $0.copied(0..<$0.byteCount) }
    let lines = Self.lines(bytes)
    for (index, line) in lines.enumerated() {
      try? Self.read(line, number: index + 1, into: &sections)
    }
    guard !sections.isEmpty else { return nil }
    self.sections = sections
  }

  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    withoutByteOrderMark(bytes).split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  /// Returns the bytes of a text without the UTF-8 byte order mark.
  static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
  }

  private static func read(
    _ line: ArraySlice<UInt8>, number: Int, allowsBareKeys: Bool = true,
    into sections: inout [DarknetSection]
  ) throws(WeighbridgeError) {
    guard let text = try stripped(line) else { return }
    let written = excerpt(line)
    if text.first == UInt8(ascii: "[") {
      guard sections.count < sectionLimit else {
        throw .limitExceeded("more than \(sectionLimit) sections, which is the limit")
      }
      guard text.count > 2, text.last == UInt8(ascii: "]") else {
        throw .malformed("\(written) begins a section, expected its name between [ and ]")
      }
      let name = String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
      sections.append(DarknetSection(name: name, line: number))
      return
    }
    guard !sections.isEmpty else {
      throw .malformed("\(written) comes before the first section, which is [net]")
    }
    let equalsSign = text.firstIndex(of: UInt8(ascii: "="))
    guard equalsSign != nil || allowsBareKeys else {
      throw .malformed("\(written) has no \"=\", and each line is a key=value")
    }
    let option = DarknetOption(
      key: String(decoding: text[..<(equalsSign ?? text.endIndex)], as: UTF8.self),
      value: String(decoding: equalsSign.map { text[($0 + 1)...] } ?? [], as: UTF8.self),
      line: number, bareLine: equalsSign == nil ? written : nil)
    sections[sections.count - 1].append(option)
  }

  /// A line without its whitespace; `nil` for an empty line or a comment.
  private static func stripped(_ line: ArraySlice<UInt8>) throws(WeighbridgeError) -> [UInt8]? {
    guard !line.contains(0) else { throw .malformed("has a NUL byte, so it is not a text file") }
    let text = line.filter { ![0x20, 0x09, 0x0D].contains($0) }
    guard let first = text.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
      return nil
    }
    return Array(text)
  }

  /// A line as written, without the whitespace around it, in quotation marks.
  private static func excerpt(_ line: ArraySlice<UInt8>) -> String {
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0D].contains(byte) }
    let end = (line.lastIndex { !isBlank($0) } ?? line.startIndex) + 1
    let text = line[..<end].drop(while: isBlank)
    return "\"\(String(decoding: text.prefix(60), as: UTF8.self))\(text.count > 60 ? "..." : "")\""
  }

  /// Whether bytes begin like a `.cfg`: the first line that is not empty or a comment is a
  /// `[section]`.
  package static func recognizes(_ bytes: borrowing RawSpan) -> Bool {
    let start = bytes.copied(0..<min(bytes.byteCount, 1 << 16))
    for line in withoutByteOrderMark(start).split(separator: 0x0A) {
      guard let text = try? stripped(line) else {
        if line.contains(0) { return false }
        continue
      }
      guard text.first == UInt8(ascii: "["), text.count > 2, text.last == UInt8(ascii: "]")
      else { return false }
      let name = text.dropFirst().dropLast()
      return name.allSatisfy { isIdentifierCharacter($0) } && !isDigit(name[name.startIndex])
    }
    return false
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isIdentifierCharacter(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
