/// The singular fields of one message that have occurred so far.
struct FieldSet {
  private var low: UInt64 = 0
  private var high: [Int] = []

  /// Adds a field; returns `false` when it was already in the set.
  mutating func insert(_ index: Int) -> Bool {
    if index < 64 {
      let bit = UInt64(1) << UInt64(index)
      defer { low |= bit }
      return low & bit == 0
    }
    if high.contains(index) { return false }
    high.append(index)
    return true
  }
}
