package import Bytes
import JSON

/// Writes a safetensors file sequentially. The same tensors always yield the same bytes.
package struct SafetensorsWriter: ~Copyable {
  /// The description of a tensor in the header.
  package struct Entry: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The type of the elements.
    package let elementType: ElementType
    /// The sizes of the axes, outermost first.
    package let shape: [Int]

    /// Creates an entry.
    package init(name: String, elementType: ElementType, shape: [Int]) {
      self.name = name
      self.elementType = elementType
      self.shape = shape
    }

    fileprivate var byteCount: Int { shape.reduce(elementType.byteCount, *) }
  }

  private var file: AtomicFile
  /// The size of the complete file in bytes.
  private let byteCount: Int

  /// Writes everything before the elements.
  ///
  /// - Parameters:
  ///   - entries: The tensors in the order in which their elements will be appended. Tensors with
  ///     larger element types should come first, so that all are aligned.
  ///   - metadata: Strings about the file as a whole.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/mismatch`` for names
  ///   that occur twice or are reserved; ``WeighbridgeError/Code/unsupported`` for more tensors
  ///   than a header can describe.
  package init(
    path: String, entries: [Entry], metadata: [(key: String, value: String)]
  ) throws(WeighbridgeError) {
    var header = JSONObject()
    if !metadata.isEmpty {
      var strings = JSONObject()
      for (key, value) in metadata { strings[key] = .string(value) }
      header[SafetensorsHeader.metadataKey] = .object(strings)
    }
    var end = 0
    for entry in entries {
      guard entry.name != SafetensorsHeader.metadataKey, header[entry.name] == nil else {
        throw .mismatch("\(entry.name) is a reserved or duplicate tensor name")
      }
      header[entry.name] = .object([
        "dtype": .string(entry.elementType.safetensorsName),
        "shape": .array(entry.shape.map(JSONValue.integer)),
        "data_offsets": [.integer(end), .integer(end + entry.byteCount)],
      ])
      end += entry.byteCount
    }
    let bytes = try SafetensorsHeader.bytes(header)
    var file = try AtomicFile(path: path)
    try unsafe file.append(bytes.span.bytes)
    self.file = file
    byteCount = bytes.count + end
  }

  /// Appends elements, little-endian and in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    try file.append(bytes)
  }

  /// Reads the file back and moves it to its path.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(file.count == byteCount, "elements are missing")
    try file.withWrittenBytes { (bytes) throws(WeighbridgeError) in _ = try SafetensorsFile(bytes) }
    try file.commit(replacing: replacing)
  }
}
