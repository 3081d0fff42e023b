import Bytes
import CHDF5
import HDF5Writing

/// What libhdf5 reads in a file, in the form of ``FileListing``.
struct LibHDF5Listing {
  /// The lines of a file. A file or object that this libhdf5 cannot read is an error.
  static func lines(path: String) throws -> [String] {
    try HDF5Library.use { () throws(LibHDF5.Failure) in
      let file = try LibHDF5.Handle(chdf5_open(path), "\(path) cannot be opened")
      return try LibHDF5Listing().lines(file)
    }
  }

  /// The lines of a file in memory.
  static func lines(bytes: [UInt8]) throws -> [String] {
    try bytes.withUnsafeBytes { bytes in
      // HDF5 only reads, and the file is closed before the bytes go.
      let image = UInt(bitPattern: bytes.baseAddress)
      return try HDF5Library.use { () throws(LibHDF5.Failure) in
        let file = try LibHDF5.Handle(
          chdf5_open_image(UnsafeRawPointer(bitPattern: image), bytes.count, "/dev/null/\(image)"),
          "an image cannot be opened")
        return try LibHDF5Listing().lines(file)
      }
    }
  }

  private func lines(_ file: LibHDF5.Handle) throws(LibHDF5.Failure) -> [String] {
    let root = try LibHDF5.Handle(H5Oopen(file.identifier, "/", chdf5_default()), "no root")
    var lines = try attributeLines("/", root)
    var entered: Set<UInt64> = [try object(file, "/").identity]
    var waiting = ["/"]
    while let above = waiting.popLast() {
      let group = try LibHDF5.Handle(H5Oopen(file.identifier, above, chdf5_default()), above)
      for link in try links(group) {
        let path = (above == "/" ? "/" : above + "/") + link.name
        switch link.kind {
        case CHDF5_HARD_LINK: break
        case CHDF5_SOFT_LINK: lines.append("\(path) soft link")
        case CHDF5_EXTERNAL_LINK: lines.append("\(path) external link")
        default: lines.append("\(path) object of another kind")
        }
        guard link.kind == CHDF5_HARD_LINK else { continue }
        let (kind, identity) = try object(group, link.name)
        let member = try LibHDF5.Handle(
          H5Oopen(group.identifier, link.name, chdf5_default()), path)
        switch kind {
        case CHDF5_GROUP:
          lines.append("\(path) group")
          if entered.insert(identity).inserted { waiting.append(path) }
        case CHDF5_DATASET: lines.append(try LibHDF5Dataset(member).line(path))
        default: lines.append("\(path) object of another kind")
        }
        lines += try attributeLines(path, member)
      }
    }
    return lines
  }

  private func object(
    _ group: LibHDF5.Handle, _ name: String
  ) throws(LibHDF5.Failure) -> (kind: Int32, identity: UInt64) {
    var (kind, identity): (Int32, UInt64) = (0, 0)
    try LibHDF5.check(chdf5_object(group.identifier, name, &kind, &identity), name)
    return (kind, identity)
  }

  private struct Names {
    var links: [(name: String, kind: Int32)] = []
  }

  private func links(
    _ group: LibHDF5.Handle
  ) throws(LibHDF5.Failure) -> [(name: String, kind: Int32)] {
    var names = Names()
    // The list outlives the call, and the visitor is the only one to touch it during the call.
    let status = withUnsafeMutablePointer(to: &names) { list in
      chdf5_each_link(
        group.identifier,
        { name, kind, context in
          guard let name, let list = context?.assumingMemoryBound(to: Names.self) else { return -1 }
          list.pointee.links.append((String(cString: name), kind))
          return 0
        }, list)
    }
    try LibHDF5.check(status, "links")
    return names.links
  }

  private func attributeLines(
    _ path: String, _ object: LibHDF5.Handle
  ) throws(LibHDF5.Failure) -> [String] {
    var names = Names()
    // As above.
    let status = withUnsafeMutablePointer(to: &names) { list in
      H5Aiterate2(
        object.identifier, H5_INDEX_NAME, H5_ITER_INC, nil,
        { _, name, _, context in
          guard let name, let list = context?.assumingMemoryBound(to: Names.self) else { return -1 }
          list.pointee.links.append((String(cString: name), 0))
          return 0
        }, list)
    }
    try LibHDF5.check(status, "attributes of \(path)")
    var lines: [String] = []
    for (name, _) in names.links {
      let attribute = try LibHDF5.Handle(
        H5Aopen(object.identifier, name, chdf5_default()), "\(path)@\(name)")
      let value = try LibHDF5Attribute(attribute).value()
      lines.append("\(path)@\(name) \(value.map(FileListing.text) ?? "of another type")")
    }
    return lines
  }
}
