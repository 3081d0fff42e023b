package import Bytes
package import GraphIR

/// A single number to which an input of a model is fixed.
public enum InputNumber: Hashable, Sendable {
  case integer(Int)
  /// A finite number.
  case real(Double)
  case boolean(Bool)
}

extension InputNumber: LosslessStringConvertible {
  /// Reads `16000`, `0.5`, `true` or `false`; `nil` for anything else.
  public init?(_ description: String) {
    if let number = Int(description) {
      self = .integer(number)
    } else if let boolean = Bool(description) {
      self = .boolean(boolean)
    } else if let number = Double(description), number.isFinite {
      self = .real(number)
    } else {
      return nil
    }
  }

  /// The number as ``init(_:)`` reads it.
  public var description: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let boolean): "\(boolean)"
    }
  }
}

extension InputNumber {
  /// The number as a tensor whose axes all have size 1; `nil` when the element type cannot
  /// represent it.
  package func tensor(_ type: ElementType, rank: Int) -> Tensor? {
    let shape = [Int](repeating: 1, count: rank)
    switch self {
    case .boolean(let boolean):
      return type == .bool ? Tensor(type, shape: shape, [boolean ? 1 : 0]) : nil
    case .integer(let number) where !type.isFloat:
      guard let range = type.integerRange, range.contains(number) else { return nil }
      var bytes: [UInt8] = []
      bytes.append(littleEndian: number, byteCount: type.byteCount)
      return Tensor(type, shape: shape, bytes: bytes)
    case .integer(let number): return InputNumber.real(Double(number)).tensor(type, rank: rank)
    case .real(let number):
      guard type.isFloat else { return nil }
      let tensor = Tensor(type, shape: shape, [number])
      return tensor.doubles[0].isFinite ? tensor : nil
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
