import Bytes
import ProtobufWire

extension ONNXInitializer {
  /// The tensor, without elements where they cannot be read; `nil` where its type is unknown.
  init?(fragmentOf record: ProtobufRecord) {
    if let whole = try? ONNXInitializer(record) {
      self = whole
    } else if let type = ElementType(onnxNumber: record.integer("data_type")) {
      self.init(
        name: record.string("name"), elementType: type, shape: record.integers("dims"))
    } else {
      return nil
    }
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let shape = record.integers("dims")
    guard shape.allSatisfy({ $0 >= 0 }) else {
      throw .malformed("a tensor has the shape \(shape), and sizes are 0 or more")
    }
    let number = record.integer("data_type")
    let narrowType = ONNXNarrowType(rawValue: number)
    guard let type = narrowType?.elementType ?? ElementType(onnxNumber: number) else {
      throw .unsupported(
        "a tensor has elements of \(ElementType.onnxName(number)), and only integers of 2 to 64 bits, "
          + "floating-point numbers of 4 to 64 bits and booleans can be read")
    }
    guard record["segment"] == nil else {
      throw .unsupported("a tensor is stored in segments, and only whole tensors can be read")
    }
    let size = try Checked.product(shape + [type.byteCount], of: "the size of a tensor")
    let byteCount = narrowType?.byteCount(of: size / type.byteCount) ?? size
    self.init(
      name: record.string("name"), elementType: type, narrowType: narrowType, shape: shape,
      elements: try Self.elements(
        record, narrowType == nil ? type : .uint8, byteCount: byteCount))
  }

  private static func elements(
    _ record: ProtobufRecord, _ type: ElementType, byteCount: Int
  ) throws(WeighbridgeError) -> ONNXElements {
    if record.choice("data_location") == "EXTERNAL" {
      return try external(record.records("external_data"), byteCount: byteCount)
    }
    let raw = record.byteRange("raw_data").map { ONNXElements.embedded($0.range) }
    let elements = raw ?? numbers(record, type)
    let actual =
      switch elements {
      case .embedded(let range): range.count
      case .unpacked(let bytes): bytes.count
      case .external: byteCount
      }
    guard actual == byteCount else {
      throw .malformed("a tensor has \(actual) bytes of elements, but its shape takes \(byteCount)")
    }
    return elements
  }

  /// The elements in the field for their type. Those of float32 and float64 stay in the file.
  private static func numbers(
    _ record: ProtobufRecord, _ type: ElementType
  ) -> ONNXElements {
    switch type {
    case .float32: return .embedded(record.byteRange("float_data")?.range ?? 0..<0)
    case .float64: return .embedded(record.byteRange("double_data")?.range ?? 0..<0)
    case .int64: return unpacked(record.integers("int64_data"), byteCount: 8)
    case .uint32, .uint64:
      return unpacked(record.integers("uint64_data"), byteCount: type.byteCount)
    default: return unpacked(record.integers("int32_data"), byteCount: type.byteCount)
    }
  }

  private static func unpacked(_ numbers: [Int], byteCount: Int) -> ONNXElements {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * byteCount)
    for number in numbers { bytes.append(littleEndian: number, byteCount: byteCount) }
    return .unpacked(bytes)
  }

  private static func external(
    _ entries: [ProtobufRecord], byteCount: Int
  ) throws(WeighbridgeError) -> ONNXElements {
    var values: [String: String] = [:]
    for entry in entries { values[entry.string("key")] = entry.string("value") }
    guard let name = values["location"] else {
      throw .malformed("a tensor is in an external file, but has no location")
    }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.hasPrefix("/"), !parts.contains(".."), !name.utf8.contains(0) else {
      throw .malformed(
        "a tensor is in \(name), outside of the model's folder, where nothing is read")
    }
    let numbers = try ["offset", "length"].map { (key) throws(WeighbridgeError) -> Int? in
      guard let text = values[key] else { return nil }
      guard let number = Int(text), number >= 0 else {
        throw .malformed("a tensor in \(name) has the \(key) \(text), which is no number of bytes")
      }
      return number
    }
    guard numbers[1] == nil || numbers[1] == byteCount else {
      throw .malformed(
        "a tensor has \(numbers[1] ?? 0) bytes in \(name), but its shape takes \(byteCount)")
    }
    return .external(fileName: name, offset: numbers[0] ?? 0)
  }
}
