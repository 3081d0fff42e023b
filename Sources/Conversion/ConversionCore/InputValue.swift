package import Bytes
package import GraphIR

/// What an input of a model is fixed at.
public indirect enum InputValue: Hashable, Sendable {
  case integer(Int)
  /// A finite number.
  case real(Double)
  case boolean(Bool)
  /// The parts along the first axis, all of one shape.
  case list([InputValue])
  /// The path of a NumPy file (.npy) with the elements.
  case file(String)
}

/// The former name of ``InputValue``.
@available(*, deprecated, renamed: "InputValue")
public typealias InputNumber = InputValue

extension InputValue: LosslessStringConvertible {
  /// How deep lists may be nested: more axes than any operator takes.
  private static let depthLimit = 16

  /// Reads `16000`, `0.5`, `true`, `false`, a list of such as `[1,2,3]` or `[[1,2],[3,4]]`, or
  /// `@file.npy`; `nil` for anything else.
  public init?(_ description: String) {
    if description.hasPrefix("@"), description.count > 1 {
      self = .file(String(description.dropFirst()))
      return
    }
    var rest = description[...]
    guard let value = Self.value(&rest, depth: 0), rest.isEmpty else { return nil }
    self = value
  }

  /// Reads the value at the start of a text, and removes it.
  private static func value(_ text: inout Substring, depth: Int) -> InputValue? {
    guard text.first == "[" else { return number(&text) }
    guard depth < depthLimit else { return nil }
    var parts: [InputValue] = []
    repeat {
      text.removeFirst()
      while text.first == " " { text.removeFirst() }
      guard let part = value(&text, depth: depth + 1) else { return nil }
      parts.append(part)
    } while text.first == ","
    guard text.popFirst() == "]" else { return nil }
    return .list(parts)
  }

  private static func number(_ text: inout Substring) -> InputValue? {
    let end = text.firstIndex { ",]".contains($0) } ?? text.endIndex
    let word = String(text[..<end])
    text = text[end...]
    if let number = Int(word) { return .integer(number) }
    if let boolean = Bool(word) { return .boolean(boolean) }
    guard let number = Double(word), number.isFinite else { return nil }
    return .real(number)
  }

  /// The value as ``init(_:)`` reads it.
  public var description: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let boolean): "\(boolean)"
    case .list(let parts): "[" + parts.map(\.description).joined(separator: ",") + "]"
    case .file(let path): "@" + path
    }
  }
}

extension InputValue {
  /// The sizes of the axes of nested lists; `nil` when parts differ in their shape, and for a file.
  package var shape: [Int]? {
    switch self {
    case .integer, .real, .boolean: return []
    case .file: return nil
    case .list(let parts):
      guard let inner = parts.first?.shape, parts.allSatisfy({ $0.shape == inner }) else {
        return nil
      }
      return [parts.count] + inner
    }
  }

  /// The elements as a tensor of a shape with as many; `nil` when the element type cannot represent
  /// them all.
  package func tensor(_ type: ElementType, shape: [Int]) -> Tensor? {
    if type.isFloat {
      guard let numbers = leaves({ $0.double }) else { return nil }
      let tensor = Tensor(type, shape: shape, numbers)
      return tensor.doubles.allSatisfy(\.isFinite) ? tensor : nil
    }
    guard let integers = leaves({ $0.integer(of: type) }) else { return nil }
    var bytes: [UInt8] = []
    for integer in integers { bytes.append(littleEndian: integer, byteCount: type.byteCount) }
    return Tensor(type, shape: shape, bytes: bytes)
  }

  /// What `transform` makes of the single values in row-major order; `nil` where it is `nil`.
  private func leaves<Element>(_ transform: (InputValue) -> Element?) -> [Element]? {
    guard case .list(let parts) = self else { return transform(self).map { [$0] } }
    var result: [Element] = []
    for part in parts {
      guard let elements = part.leaves(transform) else { return nil }
      result += elements
    }
    return result
  }

  private var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .boolean, .list, .file: nil
    }
  }

  private func integer(of type: ElementType) -> Int? {
    switch self {
    case .boolean(let boolean): type == .bool ? (boolean ? 1 : 0) : nil
    case .integer(let number): type.integerRange?.contains(number) == true ? number : nil
    case .real, .list, .file: nil
    }
  }
}

extension ElementType {
  /// The range of an integer type, within that of `Int`; `nil` for other types.
  fileprivate var integerRange: ClosedRange<Int>? {
    switch self {
    case .int8: -0x80...0x7F
    case .int16: -0x8000...0x7FFF
    case .int32: Int(Int32.min)...Int(Int32.max)
    case .int64: Int.min...Int.max
    case .uint8: 0...0xFF
    case .uint16: 0...0xFFFF
    case .uint32: 0...Int(UInt32.max)
    case .uint64: 0...Int.max
    case .float16, .bfloat16, .float32, .float64, .bool: nil
    }
  }
}
