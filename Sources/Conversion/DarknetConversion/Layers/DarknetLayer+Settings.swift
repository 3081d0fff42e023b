package import Bytes
import DarknetFormat

extension DarknetLayer {
  /// Reads a whole number as darknet does: `8.9` and `8#eight` are 8.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is not a whole number, or out of range.
  package mutating func integer(
    _ key: String, default fallback: Int, in range: ClosedRange<Int> = 0...1 << 24
  ) throws(WeighbridgeError) -> Int {
    guard let option = try take(key) else { return fallback }
    let value = try integer(option.value, of: option)
    guard range.contains(value) else {
      throw malformed(
        "\(option.text), and \(range.lowerBound) to \(range.upperBound) is possible")
    }
    return value
  }

  /// Reads a whole number that may be absent.
  package mutating func optionalInteger(
    _ key: String, in range: ClosedRange<Int> = 0...1 << 24
  ) throws(WeighbridgeError) -> Int? {
    let value = try integer(key, default: Int.min, in: range)
    return value == Int.min ? nil : value
  }

  /// Reads a flag: any number but 0 sets it.
  package mutating func flag(
    _ key: String, default fallback: Bool = false
  ) throws(WeighbridgeError) -> Bool {
    let limit = Int(Int32.max)
    return try integer(key, default: fallback ? 1 : 0, in: -limit...limit) != 0
  }

  /// Reads a number.
  package mutating func real(
    _ key: String, default fallback: Double
  ) throws(WeighbridgeError) -> Double {
    guard let option = try take(key) else { return fallback }
    return try real(option.value, of: option)
  }

  /// Reads a string.
  package mutating func text(_ key: String) throws(WeighbridgeError) -> String? {
    try take(key)?.value
  }

  /// Reads whole numbers separated by commas; `nil` when the key is absent.
  package mutating func integers(_ key: String) throws(WeighbridgeError) -> [Int]? {
    guard let option = try take(key) else { return nil }
    var result: [Int] = []
    for part in try parts(option) { result.append(try integer(part, of: option)) }
    return result
  }

  /// Reads numbers separated by commas; `nil` when the key is absent.
  package mutating func reals(_ key: String) throws(WeighbridgeError) -> [Double]? {
    guard let option = try take(key) else { return nil }
    var result: [Double] = []
    for part in try parts(option) { result.append(try real(part, of: option)) }
    return result
  }

  /// The entries of a list. AlexeyAB's darknet stops at `#` in the lists of `[yolo]`.
  private func parts(_ option: DarknetOption) throws(WeighbridgeError) -> [String] {
    var text = option.value[...]
    if fork == .alexeyab, name.hasSuffix("yolo") { text = text.prefix { $0 != "#" } }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 100_000 else { throw malformed("\(option.key) has too many entries") }
    // A single trailing comma is ignored.
    return parts.count > 1 && parts.last == "" ? Array(parts.dropLast()) : parts
  }

  private mutating func integer(
    _ text: String, of option: DarknetOption
  ) throws(WeighbridgeError) -> Int {
    guard let (value, isWhole) = DarknetNumber.integer(text) else {
      throw malformed("\(option.text), and a whole number is expected")
    }
    if !isWhole { try tolerate("\(option.key)=\(text) is read as \(value), as darknet does") }
    return value
  }

  private mutating func real(
    _ text: String, of option: DarknetOption
  ) throws(WeighbridgeError) -> Double {
    guard let (value, isWhole) = DarknetNumber.real(text) else {
      throw malformed("\(option.text), and a number is expected")
    }
    if !isWhole { try tolerate("\(option.key)=\(text) is read as \(value), as darknet does") }
    return value
  }
}
