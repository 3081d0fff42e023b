import Bytes

/// Checks of lists of names.
enum Names {
  /// Checks that no name is empty or occurs twice.
  static func check(_ names: [String], of kind: String) throws(WeighbridgeError) {
    // Strings that differ also differ in their bytes.
    if Set(names).count == names.count, !names.contains("") { return }
    var seen: Set<[UInt8]> = []
    for name in names {
      // Compared by bytes: Swift treats composed and decomposed accented letters as equal.
      let isNew = seen.insert(Array(name.utf8)).inserted
      guard isNew, !name.isEmpty else {
        throw WBMHeader.malformed(
          name.isEmpty ? "one of the \(kind) has no name" : "two of the \(kind) are named \(name)")
      }
    }
  }

  /// Checks that names are sorted by their UTF-8 bytes.
  static func checkSorted(_ names: [String], of kind: String) throws(WeighbridgeError) {
    for (lhs, rhs) in zip(names, names.dropFirst())
    where !lhs.utf8.lexicographicallyPrecedes(rhs.utf8) {
      throw WBMHeader.malformed("the \(kind) \(lhs) and \(rhs) are not sorted")
    }
  }

  /// Checks that the names are among the known ones, and in the same order.
  static func check(
    _ names: [String], areAmong known: [String], inOrderOf kind: String
  ) throws(WeighbridgeError) {
    let known = known.map { Array($0.utf8) }
    var last = -1
    for name in names {
      guard let index = known.firstIndex(of: Array(name.utf8)) else {
        let list = known.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        throw WBMHeader.malformed("the graph has no \(kind) \(name); it has \(list)")
      }
      guard index > last else {
        throw WBMHeader.malformed("the \(kind)s are not in the graph's order, see \(name)")
      }
      last = index
    }
  }
}
