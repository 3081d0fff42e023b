/// The most recently read metadata of a file, by the addresses of object headers: the links of
/// groups and the attributes of objects.
struct HDF5Cache: Sendable {
  /// The links of a group by name; `nil` for an object that is not a group.
  var links = Recent<[Link]?>()
  var attributes = Recent<[AttributeEntry]>()

  /// A cache of recently used values: at least the last 32,768, and at most twice as many.
  struct Recent<Value: Sendable>: Sendable {
    private var recent: [Int: Value] = [:]
    private var older: [Int: Value] = [:]
    private static var limit: Int { 1 << 15 }

    /// Returns the value at an address and marks it as used.
    mutating func value(at address: Int) -> Value? {
      if let value = recent[address] { return value }
      guard let value = older[address] else { return nil }
      insert(value, at: address)
      return value
    }

    /// Adds a value. When there are too many, those not used recently are dropped.
    mutating func insert(_ value: Value, at address: Int) {
      if recent.count == Self.limit { (older, recent) = (recent, [:]) }
      recent[address] = value
    }
  }
}

extension Array {
  /// Finds the element with a name by binary search. Precondition: the array is sorted by the bytes
  /// of the names.
  func element(named name: [UInt8], _ nameOf: (Element) -> [UInt8]) -> Element? {
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let middleName = nameOf(self[middle])
      if middleName == name { return self[middle] }
      range =
        middleName.lexicographicallyPrecedes(name)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
