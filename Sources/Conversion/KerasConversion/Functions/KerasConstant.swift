import Bytes
import GraphIR
import JSON
import KerasFormat

/// A constant among the arguments of a function.
struct KerasConstant {
  /// The element type that it was written with; `nil` for plain Python numbers, which adopt that of
  /// the other operands.
  let elementType: ElementType?
  /// The element type that its values have in Python.
  let naturalType: ElementType
  let shape: [Int]
  let numbers: [Double]
  /// The numbers where all are whole ones of Python, some of which `Double` does not represent.
  private let integers: [Int64]?

  /// Reads a number, nested lists of numbers, or Keras 3's form of an array.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for anything else.
  init(_ json: JSONValue) throws(WeighbridgeError) {
    var (json, written): (JSONValue, ElementType?) = (json, nil)
    if let form = json.arrayForm, let value = form["value"], let name = form["dtype"]?.string {
      guard let type = ElementType(rawValue: name) else {
        throw .unsupported("a constant has the type \(name), which is not known")
      }
      (json, written) = (value, type)
    }
    var shape: [Int] = []
    var (probe, depth) = (json, 0)
    while let list = probe.array {
      shape.append(list.count)
      depth += 1
      guard let first = list.first, depth < 32 else { break }
      probe = first
    }
    var elements: [JSONValue] = []
    try Self.collect(json, shape[...], &elements)
    self.shape = shape
    let numbers = elements.map { $0.bool.map { $0 ? 1 : 0 } ?? $0.real ?? .nan }
    // Of floating-point numbers, an array has the nearest ones that its type has.
    let held = written.map { Tensor($0, shape: [numbers.count], numbers).doubles } ?? numbers
    if let written, !written.isFloat, held != numbers {
      let index = zip(held, numbers).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
      throw .malformed(
        "a constant of \(written.rawValue) has the number \(elements[index].text()), which that type "
          + "does not have")
    }
    self.numbers = held
    let kinds = Set(elements.map(\.kindOfNumber))
    integers = kinds == [.int32] ? elements.compactMap { $0.integer.map { Int64($0) } } : nil
    elementType = written
    let kind: ElementType =
      kinds.contains(.float32) ? .float32 : kinds.contains(.bool) ? .bool : .int32
    naturalType = kinds.isEmpty ? .float32 : kind
  }

  /// Collects the numbers of nested lists, all of which must have the given sizes.
  private static func collect(
    _ json: JSONValue, _ shape: ArraySlice<Int>, _ numbers: inout [JSONValue]
  ) throws(WeighbridgeError) {
    guard let dimension = shape.first else {
      guard json.real != nil || json.bool != nil else {
        throw .unsupported("\(json.text()) stands where a number is expected")
      }
      numbers.append(json)
      return
    }
    guard let list = json.array, list.count == dimension else {
      throw .malformed("a constant is a list of lists of different lengths, which must be equal")
    }
    for element in list { try collect(element, shape.dropFirst(), &numbers) }
  }

  /// The constant as a tensor.
  ///
  /// - Parameters:
  ///   - rank: The rank that it should have; missing axes are added as leading ones.
  ///   - wraps: Whether whole numbers that do not fit in an integer type are converted modulo 2^bits.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the type cannot represent the numbers.
  func tensor(
    _ type: ElementType, rank: Int? = nil, wraps: Bool = false
  ) throws(WeighbridgeError) -> Tensor {
    let ones = [Int](repeating: 1, count: max(0, (rank ?? 0) - shape.count))
    let rounded = Tensor(type, shape: ones + shape, numbers)
    let tensor =
      type.isInteger
      ? integers.map { Tensor(wrapping: type, shape: ones + shape, $0) } : nil
    if wraps, let tensor { return tensor }
    guard type.isFloat || (tensor ?? rounded).doubles == numbers else {
      throw .unsupported("a constant has numbers that are no \(type.rawValue)")
    }
    return tensor ?? rounded
  }

  /// The first number as an element type holds it: one of integers has whole numbers modulo 2^bits.
  ///
  /// - Parameter limitsFractions: Whether a fraction becomes the nearest integer that the type has.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for NaN, infinities and the like.
  func element(
    of type: ElementType, limitsFractions: Bool
  ) throws(WeighbridgeError) -> Double {
    let number = numbers[0]
    guard type.isInteger else { return number }
    guard let whole = Int64(exactly: number.rounded(.towardZero)) else {
      throw .unsupported("a constant is \(number), expected a number that \(type.rawValue) has")
    }
    return limitsFractions && naturalType.isFloat
      ? Tensor(type, shape: [], [number]).doubles[0]
      : Tensor(wrapping: type, shape: [], [whole]).doubles[0]
  }
}

extension JSONValue {
  /// The element type that a number has in Python.
  fileprivate var kindOfNumber: ElementType {
    switch self {
    case .integer: .int32
    case .bool: .bool
    default: .float32
    }
  }

  /// The contents of an array that Keras 3 wrote among a function's arguments; `nil` for other
  /// values.
  var arrayForm: JSONObject? {
    let name = object?["class_name"]
    return name == "__numpy__" || name == "__tensor__" ? object?["config"]?.object : nil
  }
}

extension ElementType {
  /// The result type of two types, as Keras 3 promotes them: the wider one, with floating-point
  /// before integers before booleans.
  static func promoted(_ lhs: ElementType, _ rhs: ElementType) -> ElementType {
    if lhs == rhs || rhs == .bool { return lhs }
    if lhs == .bool { return rhs }
    if lhs.isFloat != rhs.isFloat { return lhs.isFloat ? lhs : rhs }
    if lhs.isFloat {
      if lhs.byteCount == rhs.byteCount { return .float32 }
      return lhs.byteCount > rhs.byteCount ? lhs : rhs
    }
    if lhs.isSignedInteger == rhs.isSignedInteger {
      return lhs.byteCount > rhs.byteCount ? lhs : rhs
    }
    let (signed, unsigned) = lhs.isSignedInteger ? (lhs, rhs) : (rhs, lhs)
    if signed.byteCount > unsigned.byteCount { return signed }
    switch unsigned {
    case .uint8: return .int16
    case .uint16: return .int32
    case .uint32: return .int64
    default: return .float32
    }
  }
}
