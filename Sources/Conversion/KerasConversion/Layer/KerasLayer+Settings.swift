import Bytes
import GraphIR
import JSON

/// Reading settings by type. Every default is Keras' own and stands at its use.
extension KerasLayer {
  /// A whole number.
  mutating func integer(
    _ key: String, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Int {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    guard let integer = value.integer else { throw wrong(key, value, "a whole number") }
    return integer
  }

  /// A number.
  mutating func real(
    _ key: String, default fallback: Double? = nil
  ) throws(WeighbridgeError) -> Double {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    return try number(key, value)
  }

  private func number(_ key: String, _ value: JSONValue) throws(WeighbridgeError) -> Double {
    // Keras 2 writes a NumPy scalar as {"class_name": "ndarray", "type": …, "value": …} or plain.
    guard let real = value.real ?? value.object?["value"]?.real else {
      throw wrong(key, value, "a number")
    }
    guard real.isFinite else { throw notFinite(key) }
    return real
  }

  /// An error about a setting that is NaN or infinite, as Python's JSON may have it.
  private func notFinite(_ key: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "\(key) is NaN or infinite")
  }

  /// A number, or `nil` when it is absent or null.
  mutating func optionalReal(_ key: String) throws(WeighbridgeError) -> Double? {
    guard let value = take(key) else { return nil }
    return try number(key, value)
  }

  /// A boolean.
  mutating func flag(
    _ key: String, default fallback: Bool? = nil
  ) throws(WeighbridgeError) -> Bool {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    guard let flag = value.bool else { throw wrong(key, value, "true or false") }
    return flag
  }

  /// One of the words that `Value` knows.
  mutating func word<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, default fallback: Value? = nil
  ) throws(WeighbridgeError) -> Value {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    guard let word = value.string.flatMap(Value.init(rawValue:)) else {
      throw wrong(key, value, Value.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return word
  }

  /// One whole number for each of `count` axes; a single number counts for all of them.
  mutating func integers(
    _ key: String, count: Int, default fallback: [Int]? = nil
  ) throws(WeighbridgeError) -> [Int] {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    if let one = value.integer { return [Int](repeating: one, count: count) }
    let list = value.array?.compactMap(\.integer) ?? []
    guard list.count == count, value.array?.count == count else {
      throw wrong(key, value, "\(count) whole numbers")
    }
    return list
  }

  /// A list of whole numbers of any length; a single number is a list of one.
  mutating func integerList(
    _ key: String, default fallback: [Int]? = nil
  ) throws(WeighbridgeError) -> [Int] {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    if let one = value.integer { return [one] }
    guard let array = value.array, array.allSatisfy({ $0.integer != nil }) else {
      throw wrong(key, value, "a list of whole numbers")
    }
    return array.compactMap(\.integer)
  }

  /// A number or a list of numbers; a single number is a list of one.
  mutating func realList(
    _ key: String, default fallback: [Double]? = nil
  ) throws(WeighbridgeError) -> [Double] {
    guard let value = take(key) else { return try fallback.orMissing(key) }
    guard let array = value.array ?? value.real.map({ [.real($0)] }),
      array.allSatisfy({ $0.real != nil })
    else { throw wrong(key, value, "a number or a list of numbers") }
    let reals = array.compactMap(\.real)
    guard reals.allSatisfy(\.isFinite) else { throw notFinite(key) }
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
    throw WeighbridgeError(.unsupported, "\(key)=\(value.text()) is not supported: \(reason)")
  }

  /// An error about the value of a setting.
  func wrong(_ key: String, _ value: JSONValue, _ expected: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "\(key)=\(value.text()), and \(expected) is expected")
  }
}

extension Optional where Wrapped: Sendable {
  fileprivate func orMissing(_ key: String) throws(WeighbridgeError) -> Wrapped {
    guard let self else {
      throw WeighbridgeError(.malformed, "the setting \(key) is missing")
    }
    return self
  }
}
