package import Bytes
import ZipArchive

/// Writes a `.npz` file sequentially, array by array. A bfloat16 array is written as float32, which
/// NumPy can read.
package struct NPZWriter: ~Copyable {
  private var archive: ZipWriter
  private var elementType = ElementType.uint8

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - names: The names of the arrays to be written.
  ///   - largest: The maximum size or offset written without ZIP64; tests lower it.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a name is empty, occurs twice or contains
  ///   control characters; ``WeighbridgeError/Code/outputFailed``.
  package init(
    path: String, names: [String], largest: Int = ZipWriter.largestWithoutZIP64
  ) throws(WeighbridgeError) {
    try Self.check(names)
    archive = try ZipWriter(path: path, largest: largest)
  }

  /// Begins an array.
  package mutating func begin(
    _ name: String, _ elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) {
    self.elementType = elementType
    let header = NPYHeader(elementType: elementType, shape: shape).serialized()
    let size = shape.reduce(elementType.npyByteCount, *)
    try archive.begin(name + NPYHeader.fileExtension, byteCount: header.count + size)
    try unsafe archive.append(header.span.bytes)
  }

  /// Appends elements of the array, little-endian and in row-major order.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    try elementType.withNPYBytes(bytes) { (bytes) throws(WeighbridgeError) in
      try archive.append(bytes)
    }
  }

  /// Ends the array.
  package mutating func end() throws(WeighbridgeError) { try archive.end() }

  /// Reads the file back and moves it to its path.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    try archive.commit(replacing: replacing)
  }

  private static func check(_ names: [String]) throws(WeighbridgeError) {
    var seen: Set<[UInt8]> = []
    for name in names {
      let bytes = Array(name.utf8)
      guard !bytes.isEmpty, bytes.count <= 60_000, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else {
        throw .mismatch("\"\(name)\" cannot be the name of an array in a .npz file")
      }
      guard seen.insert(bytes).inserted else { throw .mismatch("two arrays are named \(name)") }
    }
  }
}

extension ElementType {
  /// The size of a written element in bytes.
  fileprivate var npyByteCount: Int { self == .bfloat16 ? 4 : byteCount }

  /// Calls `body` with the elements as they are written: a bfloat16 becomes the upper half of a
  /// float32.
  func withNPYBytes(
    _ bytes: RawSpan, _ body: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard self == .bfloat16 else { return try body(bytes) }
    var wide = [UInt8](repeating: 0, count: bytes.byteCount * 2)
    for index in 0..<bytes.byteCount / 2 {
      wide[index * 4 + 2] = bytes[byte: index * 2]
      wide[index * 4 + 3] = bytes[byte: index * 2 + 1]
    }
    try unsafe body(wide.span.bytes)
  }
}
