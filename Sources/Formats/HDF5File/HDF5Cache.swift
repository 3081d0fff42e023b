/// What was read of a file last, by the addresses of object headers: the links of groups and the
/// attributes of objects.
struct HDF5Cache: Sendable {
  /// The links of a group by name; `nil` for an object that is no group.
  var links = Recent<[Link]?>()
  var attributes = Recent<[AttributeEntry]>()

  /// The values that were used last.
  struct Recent<Value: Sendable>: Sendable {
    private var entries: [(address: Int, value: Value)] = []
    /// More than a path has groups.
    private static var limit: Int { 128 }

    /// The value of an address, which is then the last one used.
    mutating func value(at address: Int) -> Value? {
      guard let index = entries.lastIndex(where: { $0.address == address }) else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.value
    }

    /// Keeps a value, for which the one that was not used longest is dropped.
    mutating func keep(_ value: Value, at address: Int) {
      if entries.count == Self.limit { entries.removeFirst() }
      entries.append((address, value))
    }
  }
}

extension Array {
  /// The element of a name, where the elements are sorted by their names' bytes.
  func element(named name: [UInt8], _ nameOf: (Element) -> [UInt8]) -> Element? {
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = nameOf(self[middle])
      if found == name { return self[middle] }
      range =
        found.lexicographicallyPrecedes(name)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
