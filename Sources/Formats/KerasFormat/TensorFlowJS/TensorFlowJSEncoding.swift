import Bytes
import JSON
import TensorEncoding

/// How TensorFlow.js stores the elements of a weight (tfjs-core, `io_utils.ts`).
enum TensorFlowJSEncoding {
  /// As they are.
  case plain
  /// As IEEE 754 binary16.
  case float16
  /// As unsigned integers q of 8 or 16 bits: an element is q * scale + minimum, in float64.
  case linear(integers: ElementType, scale: Double, minimum: Double)

  /// - Parameters:
  ///   - json: The member `quantization` of a weight.
  ///   - type: The type of the elements that are stored.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for numbers that are not finite, and unless the
  ///   type is float32 or, for integers, int32.
  init(_ json: JSONReader?, of type: ElementType) throws(WeighbridgeError) {
    guard let json else {
      self = .plain
      return
    }
    let name = try json.member("dtype").string()
    guard type == .float32 || type == .int32 && name != "float16" else {
      throw json.failure("stores \(type.rawValue) as \(name), which only float32 can be")
    }
    switch name {
    case "float16": self = .float16
    case "uint8", "uint16":
      self = .linear(
        integers: name == "uint8" ? .uint8 : .uint16, scale: try Self.number("scale", json),
        minimum: try Self.number("min", json))
    default: throw json.failure("has the dtype \(name), expected uint8, uint16 or float16")
    }
  }

  private static func number(_ key: String, _ json: JSONReader) throws(WeighbridgeError) -> Double {
    let member = try json.member(key)
    guard let number = member.value.real, number.isFinite else {
      throw member.failure("is \(member.value.text()), expected a finite number")
    }
    return number
  }

  /// The number of bytes of one stored element.
  func byteCount(_ type: ElementType) -> Int {
    switch self {
    case .plain: type.byteCount
    case .float16: 2
    case .linear(let integers, _, _): integers.byteCount
    }
  }

  /// Returns the elements of the weight as they are without an encoding.
  ///
  /// - Parameter bytes: The stored elements.
  func decoded(_ bytes: [UInt8], to type: ElementType) -> [UInt8] {
    switch self {
    case .plain: return bytes
    case .float16:
      let halves = Self.integers(bytes, byteCount: 2)
      return FloatElements.bytes(count: halves.count, type) {
        Float(Float16(bitPattern: UInt16(halves[$0])))
      }
    case .linear(let stored, let scale, let minimum):
      let numbers = Self.integers(bytes, byteCount: stored.byteCount).map {
        Double($0) * scale + minimum
      }
      guard type == .int32 else {
        return FloatElements.bytes(count: numbers.count, type) { Float(numbers[$0]) }
      }
      var elements: [UInt8] = []
      elements.reserveCapacity(4 * numbers.count)
      for number in numbers {
        let rounded = (number + 0.5).rounded(.down)  // as Math.round does
        let range = Double(Int32.min)...Double(Int32.max)
        elements.append(
          littleEndian: Int(min(max(rounded, range.lowerBound), range.upperBound)), byteCount: 4)
      }
      return elements
    }
  }

  /// The unsigned integers of a number of bytes each.
  private static func integers(_ bytes: [UInt8], byteCount: Int) -> [Int] {
    stride(from: 0, to: bytes.count, by: byteCount).map { start in
      (0..<byteCount).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
    }
  }
}
