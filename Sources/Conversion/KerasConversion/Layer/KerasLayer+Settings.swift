import Bytes
import ConversionCore
import GraphIR
import JSON

/// Reading settings by type. Every default is Keras' own and stands at its use.
extension KerasLayer {
  /// A setting of some type; its fallback when it is absent or null.
  ///
  /// - Parameters:
  ///   - expected: What the setting is, for messages.
  ///   - read: The setting's value; `nil` when it is something else.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is missing and there is no fallback;
  ///   ``WeighbridgeError/Code/unsupported`` when it is something else.
  mutating func setting<Value: Sendable>(
    _ key: String, default fallback: Value?, _ expected: @autoclosure () -> String,
    _ read: (JSONValue) -> Value?
  ) throws(WeighbridgeError) -> Value {
    guard let json = take(key) else {
      guard let fallback else { throw malformed("the setting \(key) is missing") }
      return fallback
    }
    guard let value = read(json) else { throw wrong(key, json, expected()) }
    return value
  }

  /// A whole number.
  mutating func integer(
    _ key: String, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Int {
    try setting(key, default: fallback, "a whole number", \.integer)
  }

  /// A number.
  mutating func real(
    _ key: String, default fallback: Double? = nil
  ) throws(WeighbridgeError) -> Double {
    // Keras 2 writes a NumPy scalar as {"class_name": "ndarray", "type": …, "value": …} or plain.
    let real = try setting(key, default: fallback, "a number") {
      $0.real ?? $0.object?["value"]?.real
    }
    try requireFinite(key, [real])
    return real
  }

  /// Refuses a setting that is NaN or infinite, as Python's JSON may have it.
  private func requireFinite(_ key: String, _ numbers: [Double]) throws(WeighbridgeError) {
    guard numbers.allSatisfy(\.isFinite) else { throw unsupported("\(key) is NaN or infinite") }
  }

  /// A number, or `nil` when it is absent or null.
  mutating func optionalReal(_ key: String) throws(WeighbridgeError) -> Double? {
    guard unreadSettings[key] != .null, unreadSettings[key] != nil else {
      ignore(key)
      return nil
    }
    return try real(key)
  }

  /// A boolean.
  mutating func flag(
    _ key: String, default fallback: Bool? = nil
  ) throws(WeighbridgeError) -> Bool {
    try setting(key, default: fallback, "true or false", \.bool)
  }

  /// One of the words that `Value` knows.
  mutating func word<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, default fallback: Value? = nil
  ) throws(WeighbridgeError) -> Value {
    try setting(
      key, default: fallback, Value.allCases.map(\.rawValue).joined(separator: ", ")
    ) { $0.string.flatMap(Value.init(rawValue:)) }
  }

  /// One whole number for each of `count` axes; a single number counts for all of them.
  mutating func integers(
    _ key: String, count: Int, default fallback: [Int]? = nil
  ) throws(WeighbridgeError) -> [Int] {
    try setting(key, default: fallback, "\(count) whole numbers") { value in
      if let one = value.integer { return [Int](repeating: one, count: count) }
      return value.integers.flatMap { $0.count == count ? $0 : nil }
    }
  }

  /// A list of whole numbers of any length; a single number is a list of one.
  mutating func integerList(
    _ key: String, default fallback: [Int]? = nil
  ) throws(WeighbridgeError) -> [Int] {
    try setting(key, default: fallback, "a list of whole numbers") { value in
      value.integer.map { [$0] } ?? value.integers
    }
  }

  /// A number or a list of numbers; a single number is a list of one.
  mutating func realList(
    _ key: String, default fallback: [Double]? = nil
  ) throws(WeighbridgeError) -> [Double] {
    let reals = try setting(key, default: fallback, "a number or a list of numbers") { value in
      value.real.map { [$0] } ?? value.reals
    }
    try requireFinite(key, reals)
    return reals
  }

  /// The order of the image axes; `channels_last` unless the layer says otherwise.
  mutating func dataLayout() throws(WeighbridgeError) -> DataLayout {
    try word("data_format", default: defaultLayout)
  }

  /// Refuses a setting unless it has the one value that is understood (or is absent).
  mutating func require(
    _ key: String, toBe expected: JSONValue, because reason: String
  ) throws(WeighbridgeError) {
    guard let value = take(key), value != expected else { return }
    throw .unsupported("\(key)=\(value.text()) is not supported: \(reason)")
  }

  /// An error about the value of a setting.
  func wrong(_ key: String, _ value: JSONValue, _ expected: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "\(key)=\(value.text()), and \(expected) is expected")
  }
}

extension JSONValue {
  /// The whole numbers of a list that has nothing else.
  var integers: [Int]? { elements(\.integer) }

  /// The numbers of a list that has nothing else.
  var reals: [Double]? { elements(\.real) }

  private func elements<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
    guard let array else { return nil }
    let elements = array.compactMap(read)
    return elements.count == array.count ? elements : nil
  }
}
