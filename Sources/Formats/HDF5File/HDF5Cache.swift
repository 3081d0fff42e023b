/// What was read of a file last, by the addresses of object headers: the links of groups and the
/// attributes of objects.
struct HDF5Cache: Sendable {
  /// The links of a group by name; `nil` for an object that is no group.
  var links = Recent<[Link]?>()
  var attributes = Recent<[AttributeEntry]>()

  /// Values that were used lately: at least the last 32,768, and at most twice as many.
  struct Recent<Value: Sendable>: Sendable {
    private var new: [Int: Value] = [:]
    private var old: [Int: Value] = [:]
    private static var limit: Int { 1 << 15 }

    /// The value of an address, which is used by that.
    mutating func value(at address: Int) -> Value? {
      if let value = new[address] { return value }
      guard let value = old[address] else { return nil }
      keep(value, at: address)
      return value
    }

    /// Keeps a value. When there are too many, those that were not used since the last time go.
    mutating func keep(_ value: Value, at address: Int) {
      if new.count == Self.limit { (old, new) = (new, [:]) }
      new[address] = value
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
