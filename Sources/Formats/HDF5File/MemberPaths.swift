import Bytes

/// Makes the paths of the members that are listed at once, within limits on their sizes: each
/// contains the names of all groups above it.
struct MemberPaths {
  private let limits: HDF5File.Limits
  private var byteCount = 0

  init(_ limits: HDF5File.Limits) { self.limits = limits }

  /// Returns the absolute path of a link in the group at a path. Bytes of its name that are not
  /// UTF-8 are replaced.
  mutating func path(of link: Link, in group: String) throws(WeighbridgeError) -> String {
    let prefix = group.last == "/" ? group : group + "/"
    let size = prefix.utf8.count + link.name.count
    guard size <= limits.pathByteCount else {
      throw .limitExceeded(
        "has a member whose path takes \(size) bytes, over the limit of \(limits.pathByteCount)"
      ).at(.path(group))
    }
    byteCount += size
    guard byteCount <= limits.memberPathsByteCount else {
      throw .limitExceeded(
        "has members whose paths take over \(limits.memberPathsByteCount) bytes in all, which is "
          + "the limit"
      ).at(.path(group))
    }
    return prefix + String(decoding: link.name, as: UTF8.self)
  }
}
