package import Bytes

extension HDF5File {
  /// Returns the group at an absolute path, with its direct members.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, or it is damaged;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package func group(at path: String) throws(WeighbridgeError) -> HDF5Group {
    try locatingErrors(at: path) { () throws(WeighbridgeError) in
      var (members, paths) = ([HDF5Member](), MemberPaths(limits))
      guard let address = try resolve(path) else {
        throw .malformed("the file has nothing at this path")
      }
      for link in try groupLinks(at: path, address) {
        members.append(try member(link, at: try paths.path(of: link, in: path)))
      }
      return HDF5Group(path: path, members: members)
    }
  }

  /// Whether there is a group or dataset at an absolute path.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a part of the path is damaged.
  package func exists(_ path: String) throws(WeighbridgeError) -> Bool {
    try locatingErrors(at: path) { () throws(WeighbridgeError) in
      guard let address = try resolve(path) else { return false }
      _ = try reader.header(at: address)
      return true
    }
  }

  /// Returns everything below a group, with each group before its members.
  ///
  /// A group with several hard links is traversed once; soft links are listed, not followed.
  ///
  /// - Parameters:
  ///   - path: The group's absolute path.
  ///   - excluded: Paths of members to leave out without reading them.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package func members(
    below path: String, except excluded: Set<String> = []
  ) throws(WeighbridgeError) -> [HDF5Member] {
    try locatingErrors(at: path) { () throws(WeighbridgeError) in
      var (members, paths) = ([HDF5Member](), MemberPaths(limits))
      guard let start = try resolve(path) else {
        throw .malformed("the file has nothing at this path")
      }
      var visited: Set<Int> = [start]
      var count = 0
      var pending = [(path: path, address: start)]
      while let (path, address) = pending.popLast() {
        let links = try locatingErrors(at: path) { () throws(WeighbridgeError) in
          try groupLinks(at: path, address)
        }
        for link in links {
          count += 1
          guard count <= limits.memberCount else {
            throw ObjectReader.tooMany(limits.memberCount, "members")
          }
          let memberPath = try paths.path(of: link, in: path)
          if excluded.contains(memberPath) { continue }
          let member = try member(link, at: memberPath)
          members.append(member)
          guard case .hard(let address) = link.target, member.kind == .group else { continue }
          if visited.insert(address).inserted { pending.append((member.path, address)) }
        }
      }
      return members
    }
  }
}

extension HDF5File {
  /// The links of the group with a path and an address.
  private func groupLinks(
    at path: String, _ address: Int
  ) throws(WeighbridgeError) -> [Link] {
    guard Self.depth(of: path) <= limits.depth else {
      throw .limitExceeded("leads through more than \(limits.depth) links")
    }
    guard let links = try links(at: address) else { throw .malformed("is not a group") }
    return links
  }

  /// Returns the member that a link leads to. One whose name is not UTF-8 cannot be found by its
  /// path, so it is only listed.
  private func member(_ link: Link, at path: String) throws(WeighbridgeError) -> HDF5Member {
    guard String(validating: link.name, as: UTF8.self) != nil else {
      return HDF5Member(path: path, kind: .other)
    }
    switch link.target {
    case .soft: return HDF5Member(path: path, kind: .softLink)
    case .external: return HDF5Member(path: path, kind: .externalLink)
    case .userDefined: return HDF5Member(path: path, kind: .other)
    case .hard(let address):
      let kind = try locatingErrors(at: path) { () throws(WeighbridgeError) in
        try self.kind(at: address)
      }
      return HDF5Member(path: path, kind: kind)
    }
  }

  /// The kind of the object at an address.
  private func kind(at address: Int) throws(WeighbridgeError) -> HDF5Member.Kind {
    // The links of a group are kept for longer than its header, which is larger.
    if case .some(.some) = links.value(at: address) { return .group }
    return switch try reader.header(at: address).kind {
    case .group: .group
    case .dataset: .dataset
    default: .other
    }
  }
}
