import Bytes
import Digests
import Testing
import WBMFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that is removed with its files when the value is destroyed.
struct TemporaryFolder: ~Copyable {
  let path: String
  private let names = ["a", "b", "c"]

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    path = "\(parent)/wbm-tests-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    guard mkdir(path, 0o700) == 0 else { throw WeighbridgeError(.outputFailed, "no folder") }
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The path of a file that is removed with the folder: `a`, `b` or `c`.
  func file(_ name: String) -> String {
    precondition(names.contains(name))
    return "\(path)/\(name)"
  }
}

/// Writes and reads whole files.
enum TestFiles {
  /// Bytes that differ from tensor to tensor.
  static func contents(of tensor: WBMTensor, seed: Int) -> [UInt8] {
    (0..<tensor.shape.reduce(tensor.elementType.byteCount, *)).map {
      UInt8(truncatingIfNeeded: $0 * 7 + seed * 31 + 1)
    }
  }

  /// Writes a header with generated tensors.
  static func write(_ header: WBMHeader, to path: String) throws(WeighbridgeError) {
    var writer = try WBMWriter(path: path, header: header)
    for (index, tensor) in header.tensors.enumerated() {
      try writer.append(contents(of: tensor, seed: index).span.bytes)
    }
    try writer.commit(replacing: true)
  }

  /// The bytes of a file that holds a header with generated tensors.
  static func bytes(of header: WBMHeader) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try write(header, to: folder.file("a"))
    return try read(folder.file("a"))
  }

  /// The bytes of a file.
  static func read(_ path: String) throws(WeighbridgeError) -> [UInt8] {
    let file = try MappedFile(path: path)
    return file.withBytes { $0.copied(0..<$0.byteCount) }
  }

  /// Expects files in a folder to have these bytes; `WEIGHBRIDGE_GENERATE=1` writes them first.
  static func expect(_ files: [(name: String, bytes: [UInt8])], in folder: String) throws {
    for (name, bytes) in files {
      if getenv("WEIGHBRIDGE_GENERATE").map({ String(cString: $0) }) == "1" {
        var file = try AtomicFile(path: "\(folder)/\(name)")
        try file.append(bytes.span.bytes)
        try file.commit(replacing: true)
      }
      #expect(
        try read("\(folder)/\(name)") == bytes, "\(name): run with WEIGHBRIDGE_GENERATE=1 to renew")
    }
  }

  /// Opens bytes as a file.
  static func open(
    _ bytes: [UInt8], limits: WBMFile.Limits = WBMFile.Limits()
  ) throws(WeighbridgeError) -> WBMFile {
    try WBMFile(ByteStore(bytes), path: "test.wbm", limits: limits)
  }

  /// The error that `body` throws; `nil` if it throws none.
  static func failure(_ body: () throws(WeighbridgeError) -> Void) -> WeighbridgeError? {
    do { try body() } catch { return error }
    return nil
  }
}
