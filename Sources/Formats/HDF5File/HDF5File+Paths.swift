import Bytes

extension HDF5File {
  /// Returns the absolute path of a name in a group, interpreted as in HDF5: a `/` at the start is
  /// the root, several count as one, and a component `.` means the group itself.
  package static func path(_ name: String, in group: String = "/") -> String {
    let isAbsolute = name.utf8.first == UInt8(ascii: "/")
    let fullPath = isAbsolute ? name : group == "/" ? "/\(name)" : "\(group)/\(name)"
    return isNormalized(fullPath)
      ? fullPath : "/" + components(of: fullPath).reversed().joined(separator: "/")
  }

  /// Whether an absolute path is certainly in the form that ``path(_:in:)`` returns: it has no `/`
  /// at its end or before another `/` or a period.
  private static func isNormalized(_ path: String) -> Bool {
    var isAfterSlash = false
    for byte in path.utf8 {
      let isSlash = byte == UInt8(ascii: "/")
      if isAfterSlash, isSlash || byte == UInt8(ascii: ".") { return false }
      isAfterSlash = isSlash
    }
    return !isAfterSlash && path.utf8.first == UInt8(ascii: "/")
  }

  /// The header of the object at an absolute path.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none.
  func object(at path: String) throws(WeighbridgeError) -> ObjectHeader {
    guard let address = try resolve(path) else {
      throw .malformed("the file has nothing at this path").at(.path(path))
    }
    return try reader.header(at: address)
  }

  /// The links of the object at an address, sorted by name; `nil` when it is not a group.
  func links(at address: Int) throws(WeighbridgeError) -> [Link]? {
    try links.value(at: address) { () throws(WeighbridgeError) in
      let header = try reader.header(at: address)
      return try locatingDamage(at: header) { () throws(WeighbridgeError) in
        try reader.links(of: header, atMost: limits.memberCount)
      }
    }
  }

  /// Resolves an absolute path to an object's address, link by link; `nil` when there is no object.
  func resolve(_ path: String) throws(WeighbridgeError) -> Int? {
    var pending = Self.components(of: path)
    var (current, depth, linkCount) = (reader.root, 0, 0)
    while let name = pending.popLast() {
      guard let links = try links(at: current) else { return nil }
      depth += 1
      guard depth <= limits.depth else {
        throw .limitExceeded("leads through more than \(limits.depth) links")
      }
      guard let link = links.element(named: Array(name.utf8), \.name) else { return nil }
      switch link.target {
      case .hard(let address): current = address
      case .soft(let target):
        linkCount += 1
        guard linkCount <= limits.linkCount else {
          throw .limitExceeded("follows more than \(limits.linkCount) soft links")
        }
        guard let target = String(validating: target.prefix { $0 != 0 }, as: UTF8.self) else {
          throw .malformed("the soft link \"\(name)\" is not UTF-8")
        }
        if target.utf8.first == UInt8(ascii: "/") { current = reader.root }
        pending += Self.components(of: target)
      case .external(let target):
        let file = target.dropFirst().prefix { $0 != 0 }.prefix(200)
        throw .unsupported(
          "\"\(name)\" is a link into another file, \(String(decoding: file, as: UTF8.self)), which is "
            + "never followed; HDF5's h5copy -f ext copies a group with what its links lead to")
      case .userDefined(let kind):
        throw .unsupported(
          "\"\(name)\" is a link of kind \(kind), which only its program can follow")
      }
    }
    return current
  }

  /// The number of components of a path.
  static func depth(of path: String) -> Int {
    path.utf8.split(separator: UInt8(ascii: "/")).count { !$0.elementsEqual(".".utf8) }
  }

  /// The components of a path, last first, without `.`, which means the group itself.
  private static func components(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
      .filter { $0 != "." }
  }
}
