package import Bytes
import DarknetFormat

extension DarknetLayer {
  /// Reads an integer as darknet does: `8.9` and `8#eight` are 8.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is no integer, or out of range.
  package mutating func integer(
    _ key: String, default fallback: Int, in range: ClosedRange<Int> = 0...1 << 24
  ) throws(WeighbridgeError) -> Int {
    guard let option = try take(key) else { return fallback }
    let value = try integer(option.value, of: option)
    guard range.contains(value) else {
      throw malformed(
        "has \(option.text), and \(range.lowerBound) to \(range.upperBound) is possible")
    }
    return value
  }

  /// Reads an integer; `nil` when the key is absent.
  package mutating func optionalInteger(
    _ key: String, in range: ClosedRange<Int> = 0...1 << 24
  ) throws(WeighbridgeError) -> Int? {
    let value = try integer(key, default: Int.min, in: range)
    return value == Int.min ? nil : value
  }

  /// Reads a flag, which any number but 0 sets.
  package mutating func flag(
    _ key: String, default fallback: Bool = false
  ) throws(WeighbridgeError) -> Bool {
    let limit = Int(Int32.max)
    return try integer(key, default: fallback ? 1 : 0, in: -limit...limit) != 0
  }

  /// Reads a floating-point number.
  package mutating func double(
    _ key: String, default fallback: Double
  ) throws(WeighbridgeError) -> Double {
    guard let option = try take(key) else { return fallback }
    return try double(option.value, of: option)
  }

  /// Reads a string; `nil` when the key is absent.
  package mutating func string(_ key: String) throws(WeighbridgeError) -> String? {
    try take(key)?.value
  }

  /// Reads integers separated by commas; `nil` when the key is absent.
  package mutating func integers(_ key: String) throws(WeighbridgeError) -> [Int]? {
    guard let option = try take(key) else { return nil }
    var result: [Int] = []
    for entry in try entries(option) { result.append(try integer(entry, of: option)) }
    return result
  }

  /// Reads floating-point numbers separated by commas; `nil` when the key is absent.
  package mutating func doubles(_ key: String) throws(WeighbridgeError) -> [Double]? {
    guard let option = try take(key) else { return nil }
    var result: [Double] = []
    for entry in try entries(option) { result.append(try double(entry, of: option)) }
    return result
  }

  /// The entries of a list. AlexeyAB's darknet stops at `#` in the lists of `[yolo]`.
  private func entries(_ option: DarknetOption) throws(WeighbridgeError) -> [String] {
    var text = option.value[...]
    if fork == .alexeyab, name.hasSuffix("yolo") { text = text.prefix { $0 != "#" } }
    let entries = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard entries.count <= 100_000 else {
      throw malformed("\(option.key) has \(entries.count) entries, and 100000 are the limit")
    }
    // A single trailing comma is ignored.
    return entries.count > 1 && entries.last == "" ? Array(entries.dropLast()) : entries
  }

  private mutating func integer(
    _ text: String, of option: DarknetOption
  ) throws(WeighbridgeError) -> Int {
    guard let (value, isEntireText) = DarknetNumber.integer(text) else {
      throw malformed("has \(option.text), and an integer is expected")
    }
    if !isEntireText { try tolerate("\(option.key)=\(text) is read as \(value), as darknet does") }
    return value
  }

  private mutating func double(
    _ text: String, of option: DarknetOption
  ) throws(WeighbridgeError) -> Double {
    guard let (value, isEntireText) = DarknetNumber.double(text) else {
      throw malformed("has \(option.text), and a number is expected")
    }
    if !isEntireText { try tolerate("\(option.key)=\(text) is read as \(value), as darknet does") }
    return value
  }
}
