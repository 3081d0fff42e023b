import Bytes
import ConversionCore
import GraphIR
package import JSON

/// The layer's settings, with typed access. Every default is Keras' own and is given where it is used.
extension KerasLayer {
  /// Consumes and returns a setting; `nil` when it is absent or null.
  package mutating func take(_ key: String) -> JSONValue? {
    guard let value = unreadSettings[key] else { return nil }
    unreadSettings[key] = nil
    return value == .null ? nil : value
  }

  /// Consumes settings that have no effect at inference.
  package mutating func ignore(_ keys: String...) {
    for key in keys { unreadSettings[key] = nil }
  }

  /// Reads a setting; returns the fallback when it is absent or null.
  ///
  /// - Parameters:
  ///   - expected: The kind of value, for messages.
  ///   - read: Converts the value; returns `nil` for a value of another kind.
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
    guard let value = read(json) else { throw unexpected(key, json, expected()) }
    return value
  }

  /// Reads an integer.
  mutating func integer(
    _ key: String, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Int {
    try setting(key, default: fallback, "an integer", \.integer)
  }

  /// Reads a number.
  mutating func real(
    _ key: String, default fallback: Double? = nil
  ) throws(WeighbridgeError) -> Double {
    // Keras 2 writes a NumPy scalar as {"class_name": "ndarray", "type": …, "value": …} or plain.
    let number = try setting(key, default: fallback, "a number") {
      $0.real ?? $0.object?["value"]?.real
    }
    try requireFinite(key, [number])
    return number
  }

  /// Refuses a setting that is NaN or infinite, which Python's JSON may contain.
  private func requireFinite(_ key: String, _ numbers: [Double]) throws(WeighbridgeError) {
    guard numbers.allSatisfy(\.isFinite) else { throw unsupported("\(key) is NaN or infinite") }
  }

  /// Reads a number; `nil` when it is absent or null.
  mutating func optionalReal(_ key: String) throws(WeighbridgeError) -> Double? {
    guard unreadSettings[key] != .null, unreadSettings[key] != nil else {
      ignore(key)
      return nil
    }
    return try real(key)
  }

  /// Consumes a number that only training uses; `nil` when it is absent or no number of the range.
  mutating func trainingNumber(_ key: String, in range: ClosedRange<Double>) -> Double? {
    guard let number = take(key)?.real, range.contains(number) else { return nil }
    return number
  }

  /// Reads a boolean.
  mutating func flag(
    _ key: String, default fallback: Bool? = nil
  ) throws(WeighbridgeError) -> Bool {
    try setting(key, default: fallback, "true or false", \.bool)
  }

  /// Reads one of the cases of `Value`, by its raw value.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, default fallback: Value? = nil
  ) throws(WeighbridgeError) -> Value {
    try setting(
      key, default: fallback, "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")
    ) { $0.string.flatMap(Value.init(rawValue:)) }
  }

  /// Reads an integer for each of `count` axes; a single number applies to all of them.
  mutating func integers(
    _ key: String, count: Int, default fallback: [Int]? = nil
  ) throws(WeighbridgeError) -> [Int] {
    try setting(key, default: fallback, "\(count) whole numbers") { value in
      if let one = value.integer { return [Int](repeating: one, count: count) }
      return value.integers.flatMap { $0.count == count ? $0 : nil }
    }
  }

  /// Reads a list of integers of any length; a single number is a list of one.
  mutating func integerList(
    _ key: String, default fallback: [Int]? = nil
  ) throws(WeighbridgeError) -> [Int] {
    try setting(key, default: fallback, "a list of whole numbers") { value in
      value.integer.map { [$0] } ?? value.integers
    }
  }

  /// Reads a list of numbers, or an array as Keras 3 writes it; a single number is a list of one.
  mutating func realList(
    _ key: String, default fallback: [Double]? = nil
  ) throws(WeighbridgeError) -> [Double] {
    let numbers = try setting(key, default: fallback, "a number or a list of numbers") { value in
      value.real.map { [$0] } ?? (value.arrayForm?["value"] ?? value).doubles
    }
    try requireFinite(key, numbers)
    return numbers
  }

  /// Reads the order of the image axes; by default that of ``defaultLayout``.
  mutating func dataLayout() throws(WeighbridgeError) -> DataLayout {
    try choice("data_format", default: defaultLayout)
  }

  /// Refuses a setting unless it has the only supported value (or is absent).
  mutating func require(
    _ key: String, toBe expected: JSONValue, because reason: String
  ) throws(WeighbridgeError) {
    guard let value = take(key), value != expected else { return }
    throw .unsupported("\(key)=\(value.text()) is not supported: \(reason)")
  }

  /// Creates an error about a setting with an unexpected value.
  func unexpected(_ key: String, _ value: JSONValue, _ expected: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "\(key)=\(value.text()), expected \(expected)")
  }

  /// Refuses a setting that was not read.
  func checkSettings() throws(WeighbridgeError) {
    for key in unreadSettings.keys
    where !Self.hasNoEffectAtInference(key) && !isUnusedSetting(key) {
      let value = unreadSettings[key]?.text() ?? ""
      if key == "dtype", let policy = KerasTypePolicy.quantized(unreadSettings[key]) {
        throw .unsupported(
          "is quantized to \(policy.mode); Dense, EinsumDense and Embedding are supported in int8")
      }
      if key == "dtype", let type = integerType {
        throw .unsupported(
          "has dtype=\(type.rawValue), in which layers that only select or move elements are supported; "
            + "others are in floating-point types")
      }
      throw .unsupported("has the unknown setting \(key)=\(value)")
    }
  }

  /// Whether it is a setting that Keras 3 writes as null for layers that do not use it, or an integer
  /// type of a layer without weights.
  private func isUnusedSetting(_ key: String) -> Bool {
    switch key {
    case "quantization_config": unreadSettings[key] == .null
    case "dtype":
      requestedShapes.isEmpty && weightValues.isEmpty && integerType != nil
        && KerasMappings.classes[source.className]?.casts.allowsIntegerTypes == true
    default: false
    }
  }

  /// Whether a setting, of any layer, matters only while the layer is built or trained.
  package static func hasNoEffectAtInference(_ key: String) -> Bool {
    let keys = [
      "name", "trainable", "batch_input_shape", "input_dtype", "activity_regularizer",
    ]
    let suffixes = ["_initializer", "_regularizer", "_constraint"]
    return keys.contains(key) || suffixes.contains { key.hasSuffix($0) }
  }
}

extension JSONValue {
  /// The integers of a list of integers; `nil` for other values.
  var integers: [Int]? { elements(\.integer) }

  /// The numbers of a list of numbers; `nil` for other values.
  var doubles: [Double]? { elements(\.real) }

  private func elements<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
    guard let array else { return nil }
    let elements = array.compactMap(read)
    return elements.count == array.count ? elements : nil
  }
}
