import Bytes
import Synchronization

/// The most recently used values of one kind, by address, up to about a size in bytes.
///
/// Values used since the last change of generation are "recent"; when these take more than the
/// limit, they replace the older ones, which are dropped.
final class RecentValues<Value: Sendable>: Sendable {
  private struct Entries {
    var recent: [Int: Value] = [:]
    var older: [Int: Value] = [:]
    var recentByteCount = 0
  }

  private let entries = Mutex(Entries())
  private let limit: Int
  private let byteCount: @Sendable (Value) -> Int

  /// - Parameters:
  ///   - limit: The number of bytes of recent values after which the older ones are dropped.
  ///   - byteCount: Returns the approximate size of a value.
  init(limit: Int, _ byteCount: @escaping @Sendable (Value) -> Int) {
    self.limit = limit
    self.byteCount = byteCount
  }

  /// Returns the value at an address, read if necessary.
  func value(
    at address: Int, orRead read: () throws(WeighbridgeError) -> Value
  ) throws(WeighbridgeError) -> Value {
    if let known = value(at: address) { return known }
    let value = try read()
    insert(value, at: address)
    return value
  }

  /// Returns the value at an address and marks it as used.
  func value(at address: Int) -> Value? {
    if let value = entries.withLock({ $0.recent[address] }) { return value }
    guard let value = entries.withLock({ $0.older.removeValue(forKey: address) }) else {
      return nil
    }
    insert(value, at: address)
    return value
  }

  /// Removes and returns the value at an address, which its user can then change in place.
  func remove(at address: Int) -> Value? {
    entries.withLock {
      $0.recent.removeValue(forKey: address) ?? $0.older.removeValue(forKey: address)
    }
  }

  /// Adds or replaces a value.
  func insert(_ value: Value, at address: Int) {
    let size = byteCount(value)
    entries.withLock {
      if $0.recentByteCount > limit { $0 = Entries(older: $0.recent) }
      $0.recent[address] = value
      $0.recentByteCount += size
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
