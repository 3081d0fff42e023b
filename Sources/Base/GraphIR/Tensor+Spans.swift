public import Bytes

extension Tensor {
  /// Creates a tensor of the element type that a Swift type represents, with a copy of elements.
  ///
  /// - Parameters:
  ///   - shape: The sizes, outermost first.
  ///   - elements: The elements in row-major order; traps when their count does not match the shape.
  public init<Element: TensorElement>(shape: [Int], copying elements: Span<Element>) {
    precondition(elements.count == shape.reduce(1, *))
    let bytes = unsafe elements.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    self.init(Element.elementType, shape: shape, bytes: bytes)
  }

  /// Calls `body` with the elements in row-major order. They are copied only when they are not
  /// consecutive and aligned in memory.
  ///
  /// - Parameters:
  ///   - type: The Swift type of the elements.
  ///   - body: Uses the elements, which exist only during the call.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the tensor has elements of another type; the
  ///   errors of `body`.
  public func withElements<Element: TensorElement, Result>(
    of type: Element.Type, _ body: (Span<Element>) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    guard Element.elementType == elementType else {
      throw .mismatch("is a tensor of \(elementType.rawValue), not \(Element.elementType.rawValue)")
    }
    var buffer: [UInt8] = []
    var result: Result?
    try withBytes(&buffer) { (bytes) throws(WeighbridgeError) in
      result = try Self.withElements(in: bytes, body)
    }
    guard let result else { preconditionFailure("withBytes calls its body once") }
    return result
  }

  /// Calls `body` with bytes as elements; copies them when they are not aligned.
  private static func withElements<Element: TensorElement, Result>(
    in bytes: RawSpan, _ body: (Span<Element>) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let isAligned = unsafe bytes.withUnsafeBytes {
      Int(bitPattern: $0.baseAddress).isMultiple(of: MemoryLayout<Element>.alignment)
    }
    // The bytes of a tensor are a whole number of elements, of which every bit pattern is a value.
    if isAligned { return try body(Span<Element>(_bytes: bytes)) }
    let count = bytes.byteCount / MemoryLayout<Element>.stride
    let copy = unsafe [Element](unsafeUninitializedCapacity: count) { elements, initializedCount in
      unsafe bytes.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(elements).copyBytes(from: $0)
      }
      initializedCount = count
    }
    return try body(copy.span)
  }
}

/// A Swift type that represents the elements of a tensor. (bfloat16 has none, and a bool is stored
/// in a byte.)
public protocol TensorElement: BitwiseCopyable {
  /// The element type.
  static var elementType: ElementType { get }
}

extension Float16: TensorElement {
  /// `float16`
  public static var elementType: ElementType { .float16 }
}
extension Float: TensorElement {
  /// `float32`
  public static var elementType: ElementType { .float32 }
}
extension Double: TensorElement {
  /// `float64`
  public static var elementType: ElementType { .float64 }
}
extension Int8: TensorElement {
  /// `int8`
  public static var elementType: ElementType { .int8 }
}
extension Int16: TensorElement {
  /// `int16`
  public static var elementType: ElementType { .int16 }
}
extension Int32: TensorElement {
  /// `int32`
  public static var elementType: ElementType { .int32 }
}
extension Int64: TensorElement {
  /// `int64`
  public static var elementType: ElementType { .int64 }
}
extension UInt8: TensorElement {
  /// `uint8`
  public static var elementType: ElementType { .uint8 }
}
extension UInt16: TensorElement {
  /// `uint16`
  public static var elementType: ElementType { .uint16 }
}
extension UInt32: TensorElement {
  /// `uint32`
  public static var elementType: ElementType { .uint32 }
}
extension UInt64: TensorElement {
  /// `uint64`
  public static var elementType: ElementType { .uint64 }
}
