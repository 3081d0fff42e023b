import Bytes
import CHDF5

/// The groups on the way to what was looked up last, from the root over hard links. They stay open,
/// since what is looked up next is mostly in one of them.
struct HDF5OpenGroups {
  private var names: [String] = []
  /// The root, then a group for each name; none before the first look-up.
  private(set) var groups: [hid_t] = []

  /// Closes the groups that do not lead to a path. Lives inside ``HDF5Library/use(_:)`` only, as all
  /// that follows.
  ///
  /// - Returns: How many of the path's parts are among those that do.
  mutating func keep(_ parts: some Sequence<String>) -> Int {
    // By their bytes: Swift takes different spellings of an accent for equal, and HDF5 does not.
    let count = zip(names, parts).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    for group in groups.dropFirst(count + 1) { H5Idec_ref(group) }
    groups.removeLast(max(0, groups.count - count - 1))
    names.removeLast(names.count - count)
    return count
  }

  /// Begins with the root group.
  mutating func begin(_ root: borrowing HDF5Handle) {
    H5Iinc_ref(root.identifier)
    groups = [root.identifier]
  }

  /// Goes on to a group in the last one.
  mutating func append(_ name: String, _ group: borrowing HDF5Handle) {
    H5Iinc_ref(group.identifier)
    names.append(name)
    groups.append(group.identifier)
  }

  /// The last group; `nil` before the first look-up.
  func last() throws(WeighbridgeError) -> HDF5Handle? {
    guard let last = groups.last else { return nil }
    H5Iinc_ref(last)
    return try HDF5Handle(last, "the group cannot be opened")
  }
}
