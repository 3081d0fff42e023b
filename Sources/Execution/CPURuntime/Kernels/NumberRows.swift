import Bytes
import LayerCatalog

/// Rows of numbers converted to `Double`, which represents all floating-point types and integers of
/// up to 32 bits exactly, for kernels that support several element types.
@safe struct NumberRows {
  /// The first row; the others follow, ``capacity`` elements apart.
  let start: UnsafeMutablePointer<Double>
  /// The current number of elements of each row.
  let count: Int
  /// The maximum number of elements of a row.
  static let capacity = 512

  /// A row by its index.
  subscript(row: Int) -> UnsafeMutablePointer<Double> { unsafe start + row * Self.capacity }
}

/// A function of rows, whose result replaces the first row.
struct RowFunction: Sendable {
  let apply: @Sendable (NumberRows) -> Void

  /// A function of one number.
  @inline(__always)
  static func of(_ function: @escaping @Sendable (Double) -> Double) -> RowFunction {
    RowFunction { rows in
      let first = unsafe rows[0]
      for index in 0..<rows.count { unsafe first[index] = unsafe function(first[index]) }
    }
  }

  /// A function of two numbers that is folded over `count` rows.
  @inline(__always)
  static func combining(
    _ count: Int = 2, _ function: @escaping @Sendable (Double, Double) -> Double
  ) -> RowFunction {
    RowFunction { rows in
      let first = unsafe rows[0]
      for row in 1..<count {
        let next = unsafe rows[row]
        for index in 0..<rows.count {
          unsafe first[index] = unsafe function(first[index], next[index])
        }
      }
    }
  }

  /// A function of three numbers.
  @inline(__always)
  static func of(
    _ function: @escaping @Sendable (Double, Double, Double) -> Double
  ) -> RowFunction {
    RowFunction { rows in
      let (first, second, third) = unsafe (rows[0], rows[1], rows[2])
      for index in 0..<rows.count {
        unsafe first[index] = unsafe function(first[index], second[index], third[index])
      }
    }
  }

  /// The identity.
  static let identity = RowFunction { _ in }
}

extension RowFunction {
  /// A function of as many lists as there are rows.
  init(_ function: @escaping PointwiseFunction, count: Int) {
    self.init { rows in
      // A row has room for the current number of elements.
      let operands = (0..<count).map {
        unsafe [Double](UnsafeBufferPointer(start: rows[$0], count: rows.count))
      }
      for (index, number) in function(operands).enumerated() { unsafe rows[0][index] = number }
    }
  }
}

/// Converts elements in memory from and to `Double`.
struct NumberAccess: Sendable {
  private let type: ElementType

  /// - Returns: `nil` for an unsupported type; integers of 64 bits are left to the reference kernels,
  ///   which compute them exactly.
  init?(reading type: ElementType) {
    switch type {
    case .float16, .float32, .float64, .int32, .uint8, .bool: self.type = type
    default: return nil
    }
  }

  /// - Returns: `nil` for an unsupported type. Integers are left to the reference kernels, which
  ///   check their range.
  init?(writing type: ElementType) {
    guard type.isFloat || type == .bool else { return nil }
    self.init(reading: type)
  }

  /// - Returns: `nil` for a type that indices cannot be written to.
  init?(writingIndices type: ElementType) {
    switch type {
    case .float16, .float32, .float64, .int32, .int64: self.type = type
    default: return nil
    }
  }

  /// The size of an element in bytes.
  var size: Int { type.byteCount }

  /// Reads numbers `step` elements apart.
  func read(
    _ source: UnsafeRawPointer, step: Int, count: Int, to target: UnsafeMutablePointer<Double>
  ) {
    @inline(__always)
    func load<Element>(_ type: Element.Type, _ convert: (Element) -> Double) {
      // The caller's elements are of this type.
      let elements = unsafe source.assumingMemoryBound(to: type)
      switch step {
      case 0: unsafe target.update(repeating: convert(elements[0]), count: count)
      case 1: for index in 0..<count { unsafe target[index] = unsafe convert(elements[index]) }
      default:
        for index in 0..<count { unsafe target[index] = unsafe convert(elements[index * step]) }
      }
    }
    switch type {
    case .float16: load(UInt16.self) { Double(Float16(bitPattern: $0)) }
    case .float32: load(Float.self) { Double($0) }
    case .float64: load(Double.self) { $0 }
    case .int32: load(Int32.self) { Double($0) }
    case .uint8: load(UInt8.self) { Double($0) }
    default: load(UInt8.self) { $0 == 0 ? 0 : 1 }
    }
  }

  /// Writes numbers contiguously.
  func write(_ source: UnsafePointer<Double>, count: Int, to target: UnsafeMutableRawPointer) {
    @inline(__always)
    func store<Element>(_ type: Element.Type, _ convert: (Double) -> Element) {
      // The caller's elements are of this type.
      let elements = unsafe target.assumingMemoryBound(to: type)
      for index in 0..<count { unsafe elements[index] = unsafe convert(source[index]) }
    }
    switch type {
    case .float16: store(UInt16.self) { Float16($0).bitPattern }
    case .float32: store(Float.self) { Float($0) }
    case .float64: store(Double.self) { $0 }
    case .int32: store(Int32.self) { Int32(clamping: Int64($0)) }
    case .int64: store(Int64.self) { Int64($0) }
    default: store(UInt8.self) { $0 == 0 ? 0 : 1 }
    }
  }
}
