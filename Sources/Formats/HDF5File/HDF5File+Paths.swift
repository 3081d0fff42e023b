import Bytes
import CHDF5
import Synchronization

extension HDF5File {
  /// The absolute path that a name has in a group, as HDF5 reads it: a `/` at the start is the root,
  /// several count as one, and a part `.` means the group itself.
  package static func path(_ name: String, in group: String = "/") -> String {
    let whole = name.utf8.first == UInt8(ascii: "/") ? name : "\(group)/\(name)"
    return "/" + parts(of: whole).reversed().joined(separator: "/")
  }

  /// Opens the object at an absolute path, which must be a group or a dataset.
  func open(_ path: String, as type: H5I_type_t) throws(WeighbridgeError) -> HDF5Handle {
    guard let object = try resolve(path) else {
      throw WeighbridgeError(.malformed, "the file has nothing at this path").at(.path(path))
    }
    guard H5Iget_type(object.identifier) == type else {
      throw WeighbridgeError(
        .malformed, type == H5I_GROUP ? "is not a group" : "is not a dataset"
      ).at(.path(path))
    }
    return object
  }

  /// Opens the object at an absolute path link by link, so that HDF5 itself never follows one out
  /// of the file; `nil` when there is nothing.
  func resolve(_ path: String) throws(WeighbridgeError) -> HDF5Handle? {
    var trail = self.trail.withLock { $0 }
    defer { self.trail.withLock { $0 = trail } }
    var waiting = Self.parts(of: path)
    var (depth, linkCount) = (trail.keep(waiting.reversed()), 0)
    waiting.removeLast(depth)
    var current = try start(&trail)
    while let name = waiting.popLast() {
      guard H5Iget_type(current.identifier) == H5I_GROUP else { return nil }
      depth += 1
      guard depth <= limits.depth else {
        throw WeighbridgeError(.limitExceeded, "leads over more than \(limits.depth) links")
      }
      guard let link = try link(name, of: current) else { return nil }
      switch link.kind {
      case CHDF5_HARD_LINK:
        current = try HDF5Handle(
          H5Oopen(current.identifier, name, chdf5_default()), "\"\(name)\" cannot be opened")
        if linkCount == 0, H5Iget_type(current.identifier) == H5I_GROUP {
          trail.append(name, current)
        }
      case CHDF5_SOFT_LINK:
        linkCount += 1
        guard linkCount <= limits.linkCount else {
          throw WeighbridgeError(.limitExceeded, "follows more than \(limits.linkCount) soft links")
        }
        let target = try target(name, of: current, byteCount: link.valueByteCount)
        if target.first == "/" { current = try root() }
        waiting += Self.parts(of: target)
      default:
        throw WeighbridgeError(
          .unsupported, "\"\(name)\" is a link into another file, which is never followed")
      }
    }
    return current
  }

  private func root() throws(WeighbridgeError) -> HDF5Handle {
    try HDF5Handle(H5Oopen(identifier, "/", chdf5_default()), "the root group cannot be opened")
  }

  /// The last group of a trail, which begins with the root.
  private func start(_ trail: inout HDF5OpenGroups) throws(WeighbridgeError) -> HDF5Handle {
    if let last = try trail.last() { return last }
    let root = try root()
    trail.begin(root)
    return root
  }

  /// The parts of a path, the last first. A part `.` means the group itself, as HDF5 has it.
  private static func parts(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
      .filter { $0 != "." }
  }

  /// What kind of link a name is, and the size of its value; `nil` when there is none.
  private func link(
    _ name: String, of group: borrowing HDF5Handle
  ) throws(WeighbridgeError) -> (kind: Int32, valueByteCount: Int)? {
    let exists = try HDF5Library.check(
      H5Lexists(group.identifier, name, chdf5_default()), "the group cannot be searched")
    guard exists > 0 else { return nil }
    var (kind, byteCount) = (Int32(0), 0)
    try HDF5Library.check(
      chdf5_link(group.identifier, name, &kind, &byteCount), "\"\(name)\" cannot be read")
    return (kind, byteCount)
  }

  /// Where a soft link leads.
  private func target(
    _ name: String, of group: borrowing HDF5Handle, byteCount: Int
  ) throws(WeighbridgeError) -> String {
    guard byteCount <= limits.attributeByteCount else {
      throw WeighbridgeError(.limitExceeded, "the soft link \"\(name)\" has \(byteCount) bytes")
    }
    var value = [UInt8](repeating: 0, count: byteCount)
    try HDF5Library.check(
      // Writes at most as many bytes as the array has.
      H5Lget_val(group.identifier, name, &value, value.count, chdf5_default()),
      "the soft link \"\(name)\" cannot be read")
    guard let target = String(validating: value.prefix { $0 != 0 }, as: UTF8.self) else {
      throw WeighbridgeError(.malformed, "the soft link \"\(name)\" is not UTF-8")
    }
    return target
  }
}
