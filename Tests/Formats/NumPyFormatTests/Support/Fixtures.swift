import Bytes
import NumPyFormat
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that `Files/make.py` wrote with NumPy.
enum Fixtures {
  /// The path of a file of that folder.
  static func path(_ name: String) -> String {
    let support = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(support)/Files/\(name)"
  }

  /// The arrays of a file of that folder.
  static func read(_ name: String) throws -> [NumPyArray] {
    try NumPyFile.read(path: path(name))
  }

  /// The only array of a file of that folder.
  static func array(_ name: String) throws -> NumPyArray {
    let arrays = try read(name)
    #expect(arrays.count == 1)
    return try #require(arrays.first)
  }
}

extension NumPyArray {
  /// The elements as numbers.
  var numbers: [Double] {
    withBytes { bytes in
      (0..<bytes.byteCount / elementType.byteCount).map { index in
        let offset = index * elementType.byteCount
        // In bounds: the array has an integer of elements.
        switch elementType {
        case .float16:
          return Double(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Float16.self))
        case .bfloat16:
          let upperHalf = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
          return Double(Float(bitPattern: UInt32(upperHalf) << 16))
        case .float32:
          return Double(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Float.self))
        case .float64: return bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Double.self)
        default:
          var value = 0
          for byte in (0..<elementType.byteCount).reversed() {
            value = value << 8 | Int(bytes[byte: offset + byte])
          }
          return Double(value)
        }
      }
    }
  }

  /// The bytes of the elements.
  var bytes: [UInt8] { withBytes { $0.copied(0..<$0.byteCount) } }
}

/// A folder that is removed with its files when the value is destroyed.
struct TemporaryFolder: ~Copyable {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    path = "\(parent)/numpy-tests-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    guard mkdir(path, 0o700) == 0 else { throw WeighbridgeError(.outputFailed, "no folder") }
  }

  deinit { system("rm -r '\(path)'") }

  /// Writes a file of that name and returns its path.
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = "\(path)/\(name)"
    var file = try AtomicFile(path: path)
    try file.append(bytes.span.bytes)
    try file.commit(replacing: true)
    return path
  }
}

/// The bytes of a file.
func contents(_ path: String) throws(WeighbridgeError) -> [UInt8] {
  let file = try MappedFile(path: path)
  return file.withBytes { $0.copied(0..<$0.byteCount) }
}

/// The error that `body` throws; `nil` if it throws none.
func failure(_ body: () throws -> Void) -> WeighbridgeError? {
  do { try body() } catch { return error as? WeighbridgeError }
  return nil
}
