package import Bytes
import CHDF5

extension HDF5File {
  /// The group at an absolute path, with its direct members.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, or HDF5 cannot read it;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package func group(at path: String) throws(WeighbridgeError) -> HDF5Group {
    try use(path) { () throws(WeighbridgeError) in
      let group = try open(path, as: H5I_GROUP)
      let links = try links(of: group, atMost: limits.memberCount)
      var members: [HDF5Member] = []
      for link in links {
        members.append(try member(link, of: group, at: path).member)
      }
      return HDF5Group(path: path, members: members)
    }
  }

  /// Whether there is a group or dataset at an absolute path.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when HDF5 cannot read what is on the way.
  package func exists(_ path: String) throws(WeighbridgeError) -> Bool {
    try use(path) { () throws(WeighbridgeError) in try resolve(path) != nil }
  }

  /// Everything below a group, each group before its members.
  ///
  /// A group that several hard links reach is entered once; links by path are listed, not followed.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package func members(below path: String) throws(WeighbridgeError) -> [HDF5Member] {
    try use(path) { () throws(WeighbridgeError) in
      var found: [HDF5Member] = []
      var entered: Set<UInt64> = []
      var waiting = [path]
      while let path = waiting.popLast() {
        let group = try open(path, as: H5I_GROUP)
        entered.insert(try identity(of: group))
        for link in try links(of: group, atMost: limits.memberCount - found.count) {
          let (member, identity) = try member(link, of: group, at: path)
          found.append(member)
          if member.kind == .group, entered.insert(identity).inserted {
            waiting.append(member.path)
          }
        }
      }
      return found
    }
  }
}

/// A link's name and its kind, one of the constants in `shim.h`.
struct HDF5Link {
  let name: String
  let kind: Int32
}

extension HDF5File {
  private func identity(of group: borrowing HDF5Handle) throws(WeighbridgeError) -> UInt64 {
    var kind: Int32 = 0
    var identity: UInt64 = 0
    try HDF5Library.check(
      chdf5_object(group.identifier, ".", &kind, &identity), "the group cannot be read")
    return identity
  }

  /// A link as a member, and the identity of what a hard link leads to.
  private func member(
    _ link: HDF5Link, of group: borrowing HDF5Handle, at path: String
  ) throws(WeighbridgeError) -> (member: HDF5Member, identity: UInt64) {
    let path = (path.last == "/" ? path : path + "/") + link.name
    switch link.kind {
    case CHDF5_HARD_LINK: break
    case CHDF5_SOFT_LINK: return (HDF5Member(path: path, kind: .softLink), 0)
    case CHDF5_EXTERNAL_LINK:
      return (HDF5Member(path: path, kind: .externalLink), 0)
    default: return (HDF5Member(path: path, kind: .other), 0)
    }
    var kind: Int32 = 0
    var identity: UInt64 = 0
    guard chdf5_object(group.identifier, link.name, &kind, &identity) >= 0 else {
      throw HDF5Library.failure("the object cannot be read").at(.path(path))
    }
    let member = HDF5Member(
      path: path,
      kind: kind == CHDF5_GROUP
        ? .group : kind == CHDF5_DATASET ? .dataset : .other)
    return (member, identity)
  }

  /// The links of a group, in the order of their names.
  private func links(
    of group: borrowing HDF5Handle, atMost count: Int
  ) throws(WeighbridgeError) -> [HDF5Link] {
    var collected = HDF5LinkList(limit: count)
    // The list outlives the call, and the visitor is the only one to touch it during the call.
    let status = withUnsafeMutablePointer(to: &collected) { list in
      chdf5_each_link(
        group.identifier,
        { name, kind, context in
          guard let name, let list = context?.assumingMemoryBound(to: HDF5LinkList.self) else {
            return -1
          }
          return list.pointee.append(name, kind)
        }, list)
    }
    if let error = collected.error { throw error }
    try HDF5Library.check(status, "the group's members cannot be read")
    return collected.links
  }
}

/// The links collected so far.
private struct HDF5LinkList {
  let limit: Int
  var links: [HDF5Link] = []
  var error: WeighbridgeError?

  init(limit: Int) { self.limit = limit }

  mutating func append(_ name: UnsafePointer<CChar>, _ kind: Int32) -> herr_t {
    // HDF5's own copy of the name, terminated by a zero, valid during the call.
    guard let name = String(validatingCString: name) else {
      error = WeighbridgeError(.malformed, "a member's name is not UTF-8")
      return 1
    }
    guard links.count < limit else {
      error = WeighbridgeError(.limitExceeded, "has more than \(limit) members")
      return 1
    }
    links.append(HDF5Link(name: name, kind: kind))
    return 0
  }
}
