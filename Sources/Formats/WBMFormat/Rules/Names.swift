import Bytes

/// Checks of lists of names.
enum Names {
  /// Checks that no name is empty or occurs twice.
  static func check(_ names: [String], of what: String) throws(WeighbridgeError) {
    // Strings that differ also differ in their bytes.
    if Set(names).count == names.count, !names.contains("") { return }
    var seen: Set<[UInt8]> = []
    for name in names {
      // Compared by bytes: Swift treats different encodings of an accented letter as equal.
      let isNew = seen.insert(Array(name.utf8)).inserted
      guard isNew, !name.isEmpty else {
        throw WBMHeader.malformed(
          name.isEmpty ? "one of the \(what) has no name" : "two of the \(what) are named \(name)")
      }
    }
  }

  /// Checks that names are sorted by their UTF-8 bytes.
  static func checkSorted(_ names: [String], of what: String) throws(WeighbridgeError) {
    for (first, second) in zip(names, names.dropFirst())
    where !first.utf8.lexicographicallyPrecedes(second.utf8) {
      throw WBMHeader.malformed("the \(what) \(first) and \(second) are not sorted")
    }
  }

  /// Checks that every name exists, and that they are in the same order.
  static func check(
    _ names: [String], areAmong known: [String], inOrderOf what: String
  ) throws(WeighbridgeError) {
    let known = known.map { Array($0.utf8) }
    var last = -1
    for name in names {
      guard let position = known.firstIndex(of: Array(name.utf8)) else {
        let list = known.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        throw WBMHeader.malformed("the graph has no \(what) \(name); it has \(list)")
      }
      guard position > last else {
        throw WBMHeader.malformed("the \(what)s do not stand in the graph's order, see \(name)")
      }
      last = position
    }
  }
}
