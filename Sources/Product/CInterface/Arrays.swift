import Bytes
import CWeighbridge
import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ElementType {
  /// The types by their constants in the header.
  private static let constants: [weighbridge_element_type: ElementType] = [
    weighbridge_element_type(WEIGHBRIDGE_FLOAT16): .float16,
    weighbridge_element_type(WEIGHBRIDGE_BFLOAT16): .bfloat16,
    weighbridge_element_type(WEIGHBRIDGE_FLOAT32): .float32,
    weighbridge_element_type(WEIGHBRIDGE_FLOAT64): .float64,
    weighbridge_element_type(WEIGHBRIDGE_INT8): .int8,
    weighbridge_element_type(WEIGHBRIDGE_INT16): .int16,
    weighbridge_element_type(WEIGHBRIDGE_INT32): .int32,
    weighbridge_element_type(WEIGHBRIDGE_INT64): .int64,
    weighbridge_element_type(WEIGHBRIDGE_UINT8): .uint8,
    weighbridge_element_type(WEIGHBRIDGE_UINT16): .uint16,
    weighbridge_element_type(WEIGHBRIDGE_UINT32): .uint32,
    weighbridge_element_type(WEIGHBRIDGE_UINT64): .uint64,
    weighbridge_element_type(WEIGHBRIDGE_BOOL): .bool,
  ]

  /// Creates the type for a constant in the header.
  init?(number: weighbridge_element_type) {
    guard let type = Self.constants[number] else { return nil }
    self = type
  }

  /// The constant in the header.
  var number: weighbridge_element_type {
    Self.constants.first { $0.value == self }?.key ?? 0
  }
}

/// The description of an array for the caller: its name, type and shape, in memory that is valid as
/// long as this object exists.
final class ArrayRecord: Sendable {
  let name: String
  let elementType: ElementType
  /// -1 for an unknown size; `nil` when not even the rank is known.
  let shape: [Int64]?
  let number: weighbridge_element_type
  // Written here only, and freed with the object.
  private nonisolated(unsafe) let nameMemory: UnsafeMutablePointer<CChar>?
  private nonisolated(unsafe) let shapeMemory: UnsafeMutablePointer<Int64>

  init(_ name: String, _ elementType: ElementType, shape: [Int64]?) {
    self.name = name
    self.elementType = elementType
    self.shape = shape
    number = elementType.number
    nameMemory = strdup(name)
    shapeMemory = .allocate(capacity: max(1, shape?.count ?? 0))
    shapeMemory.initialize(from: shape ?? [], count: shape?.count ?? 0)
  }

  convenience init(_ port: ModelPort) {
    self.init(
      port.name, port.type.elementType, shape: port.type.shape.map { Int64($0.value ?? -1) })
  }

  deinit {
    free(nameMemory)
    shapeMemory.deallocate()
  }

  /// The size of all elements in bytes; 0 when it is not known.
  var byteCount: Int {
    guard let shape, !shape.contains(-1) else { return 0 }
    return shape.reduce(elementType.byteCount) { $0 * Int($1) }
  }

  /// Whether the name of a caller's array is this one.
  func isNamed(_ other: UnsafePointer<CChar>) -> Bool {
    nameMemory.map { strcmp($0, other) == 0 } ?? false
  }

  /// Fills in everything but the address of the elements.
  func describe(_ array: inout weighbridge_array) {
    array.name = UnsafePointer(nameMemory)
    array.element_type = number
    array.rank = shape.map { Int32($0.count) } ?? -1
    array.shape = shape == nil ? nil : UnsafePointer(shapeMemory)
    array.byte_count = byteCount
  }

  /// The type and the shape for messages.
  var typeDescription: String {
    let sizes = shape?.map { $0 < 0 ? "?" : String($0) }.joined(separator: ", ")
    return "\(elementType.rawValue) [\(sizes ?? "...")]"
  }
}

/// An array of the caller's structs, which may have been compiled with another version.
struct CallerArrays {
  private let start: UnsafeMutableRawPointer
  private let stride: Int
  let count: Int

  /// - Parameter what: `inputs` or `outputs`.
  init(
    _ pointer: UnsafePointer<weighbridge_array>?, _ count: Int, _ what: String,
    for records: [ArrayRecord]
  ) throws(Failure) {
    guard count == records.count else {
      let names = records.map(\.name).joined(separator: ", ")
      throw .mismatch("\(count) \(what) are given, and the model has \(records.count): \(names)")
    }
    let pointer = try required(pointer, what)
    stride = pointer.pointee.struct_size
    try weighbridge_array.check(stride)
    start = UnsafeMutableRawPointer(mutating: pointer)
    self.count = count
    for index in 0..<count where self[index].pointee.struct_size != stride {
      throw .invalidArgument("\(what)[\(index)] has another struct_size than \(what)[0]")
    }
  }

  /// Accesses an array by its index.
  subscript(index: Int) -> UnsafeMutablePointer<weighbridge_array> {
    // The caller guarantees this many structs of that size.
    (start + index * stride).assumingMemoryBound(to: weighbridge_array.self)
  }

  /// Returns the index of each record's array: by name, or by order where an array has no name.
  func indices(matching records: [ArrayRecord], _ what: String) throws(Failure) -> [Int] {
    var indices: [Int] = []
    for (index, record) in records.enumerated() {
      if let name = self[index].pointee.name, !record.isNamed(name) {
        return try indicesByName(records, what)
      }
      indices.append(index)
    }
    return indices
  }

  private func indicesByName(
    _ records: [ArrayRecord], _ what: String
  ) throws(Failure) -> [Int] {
    var indices: [Int] = []
    for record in records {
      let found = (0..<count).filter { self[$0].pointee.name.map(record.isNamed) ?? false }
      guard found.count == 1 else {
        let given = try (0..<count).map { (index) throws(Failure) in
          try string(self[index].pointee.name, "a name") ?? "(no name)"
        }.joined(separator: ", ")
        let names = records.map(\.name).joined(separator: ", ")
        throw .mismatch("\(what) \(given) are given, and the model has \(names)")
      }
      indices += found
    }
    return indices
  }
}

extension weighbridge_array {
  /// Returns the shape in the caller's struct, checked.
  func checkedShape(_ name: String) throws(Failure) -> [Int] {
    guard 0...64 ~= rank else { throw .invalidArgument("the rank of \(name) is \(rank)") }
    guard rank > 0 else { return [] }
    let shape = try required(shape, "the shape of \(name)")
    let sizes = (0..<Int(rank)).map { Int(shape[$0]) }
    var byteCount = 8  // of the largest element type
    for size in sizes {
      let (product, overflow) = byteCount.multipliedReportingOverflow(by: max(size, 1))
      guard size >= 0, !overflow else {
        throw .invalidArgument("the shape of \(name) is \(sizes), which no array has")
      }
      byteCount = product
    }
    return sizes
  }

  /// Whether the caller's struct has this shape.
  func hasShape(_ sizes: [Int64]) -> Bool {
    guard Int(rank) == sizes.count else { return false }
    guard let shape else { return sizes.isEmpty }
    return sizes.indices.allSatisfy { shape[$0] == sizes[$0] }
  }

  /// Returns the address of the elements; throws when there are too few bytes.
  func elements(byteCount: Int, _ name: String) throws(Failure) -> UnsafeMutableRawPointer {
    guard byte_count >= byteCount else {
      throw .invalidArgument("\(name) has \(byte_count) bytes, and its elements take \(byteCount)")
    }
    return try required(data, "the data of \(name)")
  }
}
