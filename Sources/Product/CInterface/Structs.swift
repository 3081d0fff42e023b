import CWeighbridge

/// A struct of the header whose first member is its size.
protocol SizedStruct {
  /// Fills the struct with zeros.
  init()
  var struct_size: Int { get set }
}

extension weighbridge_read_options: SizedStruct {}
extension weighbridge_run_options: SizedStruct {}
extension weighbridge_write_options: SizedStruct {}
extension weighbridge_export_options: SizedStruct {}
extension weighbridge_verify_options: SizedStruct {}
extension weighbridge_detect_options: SizedStruct {}
extension weighbridge_analyze_options: SizedStruct {}
extension weighbridge_array: SizedStruct {}

extension SizedStruct {
  /// Copies the caller's struct; zeros for `NULL`.
  ///
  /// - Throws: When it is smaller than this version's, or larger with a nonzero byte in the part
  ///   that this version does not know.
  init(_ pointer: UnsafePointer<Self>?) throws(Failure) {
    self.init()
    guard let pointer else { return }
    let (size, knownSize) = (pointer.pointee.struct_size, MemoryLayout<Self>.size)
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
    self = pointer.pointee
  }

  /// - Throws: When no version of the struct has that size.
  static func check(_ size: Int) throws(Failure) {
    let knownSize = MemoryLayout<Self>.size
    // More than 4 KB is uninitialized memory rather than a struct.
    guard size >= knownSize, size <= 4096, size.isMultiple(of: MemoryLayout<Self>.alignment) else {
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

/// Returns the caller's number; `nil` for 0.
func number(_ value: Int32, _ name: String) throws(Failure) -> Int? {
  guard value >= 0 else { throw .invalidArgument("\(name) is \(value)") }
  return value == 0 ? nil : Int(value)
}
