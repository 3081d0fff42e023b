import Bytes

/// A dictionary: texts and integers are its keys.
struct PickleDictionary: Sendable {
  /// A key.
  enum Key: Hashable, Sendable {
    case text(String)
    case integer(Int)
  }

  /// The entries in the order in which their keys were first set.
  private(set) var entries: [(key: Key, value: PickleValue)] = []
  private var positions: [Key: Int] = [:]

  /// Sets items: keys and values in turn.
  mutating func set(_ pairs: [PickleValue]) throws(WeighbridgeError) {
    guard pairs.count % 2 == 0 else { throw .malformed("has a key without a value") }
    for index in stride(from: 0, to: pairs.count, by: 2) {
      let key: Key
      switch pairs[index] {
      case .string(let text): key = .text(text)
      case .integer(let integer): key = .integer(integer)
      case let other:
        throw .unsupported("has \(other.title) as the key of a dict, expected a text or an integer")
      }
      if let position = positions[key] {
        entries[position].value = pairs[index + 1]
      } else {
        positions[key] = entries.count
        entries.append((key, pairs[index + 1]))
      }
    }
  }
}
