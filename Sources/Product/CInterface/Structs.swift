import CWeighbridge
import ConversionCore
import Weighbridge

/// A struct of the header whose first member is its size.
protocol SizedStruct {
  /// Fills the struct with zeros.
  init()
  var struct_size: Int { get set }
  /// The size in version 0.2, without the members that were added since.
  static var minimumSize: Int { get }
}

extension weighbridge_array: SizedStruct {}

extension SizedStruct {
  static var minimumSize: Int { MemoryLayout<Self>.size }

  /// Copies the caller's struct, with zeros for the members that are not in it; zeros for `NULL`.
  ///
  /// - Throws: When it is smaller than that of version 0.2, or larger than this version's with a nonzero byte in the part
  ///   that this version does not know.
  init(_ pointer: UnsafePointer<Self>?) throws(Failure) {
    self.init()
    guard let pointer else { return }
    // The size is the first member of each struct.
    let size = UnsafeRawPointer(pointer).load(as: Int.self)
    let knownSize = MemoryLayout<Self>.size
    try Self.check(size)
    if size > knownSize {
      // The caller guarantees this much memory.
      let unknownPart = UnsafeRawBufferPointer(
        start: UnsafeRawPointer(pointer) + knownSize, count: size - knownSize)
      guard unknownPart.allSatisfy({ $0 == 0 }) else {
        throw .invalidArgument(
          "\(Self.self) was made for a later version of the library, and uses what is new in it")
      }
    }
    // The caller's memory may end with the members that the caller knows.
    withUnsafeMutableBytes(of: &self) { members in
      members.copyMemory(
        from: UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer), count: min(size, knownSize)))
    }
  }

  /// - Throws: When no version of the struct has that size.
  static func check(_ size: Int) throws(Failure) {
    let knownSize = MemoryLayout<Self>.size
    // More than 4 KB is uninitialized memory rather than a struct.
    guard size >= minimumSize, size <= 4096, size.isMultiple(of: MemoryLayout<Self>.alignment)
    else {
      throw .invalidArgument(
        "the struct_size of \(Self.self) is \(size), and this version's is \(knownSize): "
          + "make it with WEIGHBRIDGE_INIT(\(Self.self))")
    }
  }
}

/// Returns the caller's string; `nil` for `NULL`.
func string(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String? {
  guard let pointer else { return nil }
  guard let string = String(validatingCString: pointer) else {
    throw .invalidArgument("\(name) is not UTF-8")
  }
  return string
}

/// Returns the caller's path.
func path(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String {
  guard let path = try string(required(pointer, name), name), !path.isEmpty else {
    throw .invalidArgument("\(name) is empty")
  }
  return path
}

/// Returns the caller's list of strings.
func strings(
  _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ name: String
) throws(Failure) -> [String] {
  guard count > 0 else { return [] }
  let list = try required(pointer, name)
  var result: [String] = []
  for index in 0..<count {
    guard let string = try string(list[index], name) else {
      throw .invalidArgument("\(name)[\(index)] is NULL")
    }
    result.append(string)
  }
  return result
}

/// Returns a case of an enumeration by its raw value; `nil` for `NULL`.
func enumeration<Value: RawRepresentable<String> & CaseIterable>(
  _ pointer: UnsafePointer<CChar>?, _ name: String
) throws(Failure) -> Value? {
  guard let rawValue = try string(pointer, name) else { return nil }
  guard let value = Value(rawValue: rawValue) else {
    let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw .invalidArgument("\(name) is \(rawValue); it must be one of \(known)")
  }
  return value
}

/// Returns the caller's shapes of inputs.
func shapeList(
  _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ name: String
) throws(Failure) -> [InputShape] {
  try strings(pointer, count, name).map { (string) throws(Failure) in
    guard let shape = InputShape(string) else {
      throw .invalidArgument("\(name) has \(string), which is neither 8,None,3 nor NAME=8,None,3")
    }
    return shape
  }
}

/// Returns the caller's values by name.
func valueList(
  _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ name: String
) throws(Failure) -> [String: InputValue] {
  var values: [String: InputValue] = [:]
  for string in try strings(pointer, count, name) {
    // The name of an input may contain an equals sign; a value hardly does.
    guard let sign = string.lastIndex(of: "="), sign != string.startIndex,
      let value = InputValue(String(string[string.index(after: sign)...]))
    else { throw .invalidArgument("\(name) has \(string), which is not NAME=VALUE") }
    guard values.updateValue(value, forKey: String(string[..<sign])) == nil else {
      throw .invalidArgument("\(name) gives \(string[..<sign]) twice")
    }
  }
  return values
}

/// Returns the caller's sizes of images, width and height of each.
func sizeList(
  _ pointer: UnsafePointer<Int64>?, _ count: Int, _ name: String
) throws(Failure) -> [ImageSize] {
  guard count > 0 else { return [] }
  let sides = try required(pointer, name)
  return try (0..<count).map { (index) throws(Failure) in
    let (width, height) = (sides[2 * index], sides[2 * index + 1])
    guard 1...65_536 ~= width, 1...65_536 ~= height else {
      throw .invalidArgument("\(name) has \(width) x \(height); a side has 1 to 65536 pixels")
    }
    return ImageSize(width: Int(width), height: Int(height))
  }
}

/// Returns the caller's tolerance, two numbers; `nil` for `NULL`.
func tolerancePair(
  _ numbers: UnsafePointer<Double>?, _ name: String
) throws(Failure) -> Tolerance? {
  guard let numbers else { return nil }
  guard numbers[0].isFinite, numbers[1].isFinite, numbers[0] >= 0, numbers[1] >= 0 else {
    throw .invalidArgument("\(name) is \(numbers[0]) and \(numbers[1]); it is two numbers from 0")
  }
  return Tolerance(absolute: numbers[0], relative: numbers[1])
}

/// Returns the caller's number; `nil` for 0.
func number(_ value: Int32, _ name: String) throws(Failure) -> Int? {
  guard value >= 0 else { throw .invalidArgument("\(name) is \(value)") }
  return value == 0 ? nil : Int(value)
}
