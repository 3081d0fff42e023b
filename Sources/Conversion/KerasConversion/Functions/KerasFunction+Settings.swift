import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Arguments that are plain values. Every default is the framework's own and is given where it is
/// used.
extension KerasFunction {
  /// Takes a plain value. For a tensor that consists of dimensions of others, it returns their
  /// numbers where they are known.
  mutating func plain(
    _ names: String..., at position: Int? = nil
  ) throws(WeighbridgeError) -> JSONValue? {
    try plain(names, at: position)
  }

  private mutating func plain(
    _ names: [String], at position: Int? = nil
  ) throws(WeighbridgeError) -> JSONValue? {
    try take(names, at: position).map { (operand) throws(WeighbridgeError) in
      try plain(operand, as: names[0])
    }
  }

  /// Returns the plain value of an argument.
  func plain(_ operand: KerasOperand, as name: String) throws(WeighbridgeError) -> JSONValue {
    switch operand {
    case .value(let json):
      return json.arrayForm?["value"] ?? json
    case .list(let parts):
      let values = try parts.map { (part) throws(WeighbridgeError) in try plain(part, as: name) }
      return .array(values)
    case .tensor(let input):
      if let known = layer.network.knownDimensions[try value(input)], let numbers = known.numbers {
        return known.isVector ? .array(numbers.map { .integer($0) }) : .integer(numbers[0])
      }
      fallthrough
    case .dictionary:
      throw .unsupported("\(name) is a tensor whose numbers are not known before the model runs")
    }
  }

  /// Takes a plain value of some type; `nil` when it is absent or null.
  ///
  /// - Parameters:
  ///   - expected: The kind of value, for messages.
  ///   - read: Converts the value; returns `nil` for a value of another kind.
  private mutating func argument<Value>(
    _ names: [String], at position: Int? = nil, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(WeighbridgeError) -> Value? {
    guard let json = try plain(names, at: position) else { return nil }
    guard let value = read(json) else { throw unexpected(names[0], json, expected) }
    return value
  }

  /// Takes an integer.
  mutating func integer(
    _ name: String, at position: Int? = nil, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Int {
    let written = try argument([name], at: position, "an integer", \.integer)
    guard let integer = written ?? fallback else { throw missing(name) }
    return integer
  }

  /// Takes a number, infinities included.
  mutating func real(
    _ names: String..., at position: Int? = nil, default fallback: Double? = nil
  ) throws(WeighbridgeError) -> Double {
    let written = try argument(names, at: position, "a number") { value in
      value.real.flatMap { $0.isNaN ? nil : $0 }
    }
    guard let real = written ?? fallback else { throw missing(names[0]) }
    return real
  }

  /// Takes a boolean.
  mutating func flag(
    _ names: String..., default fallback: Bool
  ) throws(WeighbridgeError) -> Bool {
    try argument(names, "true or false") { $0.bool ?? $0.integer.map { $0 != 0 } } ?? fallback
  }

  /// Takes a string.
  mutating func string(_ name: String) throws(WeighbridgeError) -> String? {
    try argument([name], "a word", \.string)
  }

  /// Takes a list of integers; a single number is a list of one.
  mutating func integers(
    _ names: String..., at position: Int? = nil
  ) throws(WeighbridgeError) -> [Int]? {
    try integers(names, at: position)
  }

  private mutating func integers(
    _ names: [String], at position: Int? = nil
  ) throws(WeighbridgeError) -> [Int]? {
    try argument(names, at: position, "whole numbers") { value in
      value.integer.map { [$0] } ?? value.integers
    }
  }

  /// Takes an axis, which may be negative to count from the end.
  mutating func axis(
    _ name: String = "axis", at position: Int? = nil, of type: TensorType,
    default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Int {
    try KerasLayer.axis(try integer(name, at: position, default: fallback), of: type)
  }

  /// Takes an axis of a value; where it is absent, flattens the value.
  mutating func axisOrFlattened(_ value: inout ValueID) throws(WeighbridgeError) -> Int {
    guard let axis = try integers("axis")?.first else {
      value = try addOne(ReshapeAxes([.rest]), [value], role: "flatten")
      return 0
    }
    return try KerasLayer.axis(axis, of: type(of: value))
  }

  /// Takes axes, which may be negative to count from the end; `nil` when they are absent.
  ///
  /// - Returns: Distinct axes in ascending order.
  mutating func axes(
    _ names: String..., of type: TensorType
  ) throws(WeighbridgeError) -> [Int]? {
    guard let written = try integers(names) else { return nil }
    var axes: Set<Int> = []
    for axis in written { axes.insert(try KerasLayer.axis(axis, of: type)) }
    guard axes.count == written.count else {
      throw .malformed("\(names[0])=\(written), and different axes are expected")
    }
    return axes.sorted()
  }

  /// Takes the name of an element type.
  mutating func elementType(_ name: String) throws(WeighbridgeError) -> ElementType? {
    guard let typeName = try string(name) else { return nil }
    guard let type = ElementType(rawValue: typeName) else {
      throw .unsupported("\(name)=\(typeName) is not a supported type")
    }
    return type
  }

  /// Refuses an argument unless it has the only supported value (or is absent).
  mutating func require(
    _ name: String, toBe expected: JSONValue, because reason: String
  ) throws(WeighbridgeError) {
    guard let value = try plain(name), value != expected else { return }
    throw .unsupported("\(name)=\(value.text()) is not supported: \(reason)")
  }

  func unexpected(_ name: String, _ value: JSONValue, _ expected: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "\(name)=\(value.text()), expected \(expected)")
  }

  func missing(_ name: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, "the argument \(name) is missing")
  }
}
