import Bytes
import Testing
import ZipArchive

@testable import NumPyFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Writing NumPy's files")
struct WritingTests {
  /// Whether `python3` has NumPy.
  static let hasNumPy = system("python3 -c 'import numpy' >/dev/null 2>&1") == 0

  private func samples() throws -> [NumPyArray] {
    var arrays: [NumPyArray] = []
    for type in ElementType.allCases {
      let bytes = (0..<6 * type.byteCount).map { type == .bool ? UInt8($0 % 2) : UInt8($0) }
      arrays.append(
        try NumPyArray(name: "of \(type)", elementType: type, shape: [2, 3], bytes: bytes))
    }
    arrays.append(
      try NumPyArray(name: "größe", elementType: .int32, shape: [], bytes: [5, 0, 0, 0]))
    arrays.append(try NumPyArray(name: "a/b:1", elementType: .float32, shape: [0, 2], bytes: []))
    return arrays
  }

  @Test("Written arrays read back equal, a bfloat16 as float32")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/all.npz"
    try NumPyFile.write(samples(), to: path)
    let read = try NumPyFile.read(path: path)
    for (written, read) in zip(try samples(), read) {
      #expect(read.name == written.name)
      #expect(read.shape == written.shape)
      let isNarrow = written.elementType == .bfloat16
      #expect(read.elementType == (isNarrow ? .float32 : written.elementType))
      if !isNarrow { #expect(read.bytes == written.bytes) }
    }
    #expect(read[1].bytes.prefix(8) == [0, 0, 0, 1, 0, 0, 2, 3])
    #expect(try read.count == samples().count)
  }

  @Test("The same arrays give the same bytes")
  func determinism() throws {
    let folder = try TemporaryFolder()
    for name in ["1.npz", "2.npz"] { try NumPyFile.write(samples(), to: "\(folder.path)/\(name)") }
    #expect(try contents("\(folder.path)/1.npz") == contents("\(folder.path)/2.npz"))
  }

  @Test("One array under a .npy name becomes a .npy file with elements at a multiple of 64")
  func single() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/one.npy"
    let arrays = try samples()
    #expect(!arrays.isEmpty)
    for array in arrays {
      try NumPyFile.write([array], to: path)
      let read = try #require(try NumPyFile.read(path: path).first)
      #expect(read.name == "")
      #expect(read.range.lowerBound % 64 == 0)
      #expect(read.shape == array.shape)
    }
  }

  /// Sizes above which an archive has ZIP64 records.
  private static let largestSizes = [0, 100, 300, 2000]

  /// Writes the samples with ZIP64 records for members above a size.
  private func write(to path: String, largest: Int) throws {
    let arrays = try samples()
    var writer = try NPZWriter(path: path, names: arrays.map(\.name), largest: largest)
    for array in arrays { try writer.append(array) }
    try writer.commit(replacing: true)
  }

  @Test("An archive with ZIP64 records reads back", arguments: largestSizes)
  func large(largest: Int) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/large.npz"
    try write(to: path, largest: largest)
    let read = try NumPyFile.read(path: path)
    #expect(try read.map(\.name) == samples().map(\.name))
  }

  @Test(
    "NumPy itself reads an archive with ZIP64 records",
    .enabled(if: WritingTests.hasNumPy, "there is no python3 with NumPy"), arguments: largestSizes)
  func numPyReadsLarge(largest: Int) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/large.npz"
    try write(to: path, largest: largest)
    try checkWithNumPy(path, folder.path)
  }

  @Test("Names that cannot be told apart or read back are refused")
  func names() throws {
    let folder = try TemporaryFolder()
    for names in [["a", "a"], ["", "b"], ["a\n", "b"]] {
      let arrays = try names.map {
        try NumPyArray(name: $0, elementType: .int8, shape: [1], bytes: [0])
      }
      let error = failure { try NumPyFile.write(arrays, to: "\(folder.path)/x.npz") }
      #expect(error?.code == .mismatch)
    }
  }

  @Test("An array whose bytes do not fit its shape is refused")
  func sizes() {
    let error = failure {
      _ = try NumPyArray(name: "a", elementType: .int16, shape: [3], bytes: [0])
    }
    #expect(error?.code == .mismatch)
  }

  @Test(
    "NumPy itself reads what is written",
    .enabled(if: WritingTests.hasNumPy, "there is no python3 with NumPy"))
  func numPyReads() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/all.npz"
    try NumPyFile.write(samples(), to: path)
    try checkWithNumPy(path, folder.path)
  }

  /// Has NumPy read an archive of the samples and compare types, shapes and bytes.
  private func checkWithNumPy(_ path: String, _ folder: String) throws {
    var script = "import numpy as np\nfile = np.load(r'\(path)')\n"
    for array in try samples() {
      let shape = "(" + array.shape.map { "\($0)," }.joined() + ")"
      script += "array = file['\(array.name)']\nassert array.shape == \(shape), array.shape\n"
      if array.elementType == .bfloat16 {
        script += "assert array.dtype == np.float32\n"
      } else {
        script += "assert array.dtype == np.\(array.elementType), array.dtype\n"
        script += "assert array.tobytes() == bytes(\(array.bytes))\n"
      }
    }
    script += "import zipfile\nassert zipfile.ZipFile(r'\(path)').testzip() is None\n"
    let program = "\(folder)/check.py"
    var file = try AtomicFile(path: program)
    try file.append(Array(script.utf8).span.bytes)
    try file.commit(replacing: true)
    #expect(system("python3 '\(program)' >'\(folder)/log' 2>&1") == 0)
    let log = (try? contents("\(folder)/log")) ?? []
    #expect(log.isEmpty, "\(String(decoding: log, as: UTF8.self))")
  }
}
