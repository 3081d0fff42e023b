import Bytes
import NumPyFormat
import Testing

@Suite(".npz archives of NumPy")
struct NPZTests {
  @Test("Stored and deflated archives read the same", arguments: ["stored.npz", "deflated.npz"])
  func archives(name: String) throws {
    let arrays = try Fixtures.read(name)
    #expect(arrays.prefix(3).map(\.name) == ["x", "outer/inner/layer:1", "größe"])
    #expect(arrays[0].numbers == [0, 1, 2, 3, 4, 5])
    #expect(arrays[1].elementType == .int64)
    #expect(arrays[1].numbers == [0, 1, 2])
    #expect(arrays[2].elementType == .uint16)
  }

  @Test("Stored elements stay in the mapped file; deflated ones are read into memory")
  func mapping() throws {
    #expect(try Fixtures.read("stored.npz")[0].storage.withDescriptor { $0 != nil })
    let deflated = try Fixtures.read("deflated.npz")
    #expect(deflated[0].storage.withDescriptor { $0 == nil })
    #expect(deflated[3].numbers == [Double](repeating: 0, count: 10_000))
  }

  @Test("An archive without arrays, and one with a comment, read")
  func unusual() throws {
    #expect(try Fixtures.read("empty.npz").isEmpty)
    #expect(try Fixtures.read("commented.npz").map(\.name) == ["x"])
  }

  @Test(
    "Archives that are not supported, or malformed, are refused by name",
    arguments: [
      ("encrypted", WeighbridgeError.Code.unsupported, "encrypted"),
      ("method", .unsupported, "method 12"), ("member", .unsupported, "notes.txt"),
      ("pickle", .unsupported, "pickled"), ("twice", .malformed, "twice"),
      ("shared", .malformed, "share bytes"), ("ratio", .malformed, "cannot unpack"),
    ])
  func refusals(name: String, code: WeighbridgeError.Code, phrase: String) {
    let error = failure { _ = try Fixtures.read("refused-\(name).npz") }
    #expect(error?.code == code)
    #expect(error.map { "\($0)" }?.contains(phrase) == true, "\(error.map { "\($0)" } ?? "read")")
  }

  @Test("An archive cut off anywhere is refused", arguments: ["stored.npz", "deflated.npz"])
  func truncation(name: String) throws {
    let whole = try contents(Fixtures.path(name))
    for count in 0..<whole.count {
      let error = failure { _ = try NumPyFile.read(ByteStore(Array(whole[..<count]))) }
      #expect(error?.code == .malformed, "\(count) bytes")
    }
  }

  @Test("A flipped bit in an array's bytes is noticed", arguments: ["stored.npz", "deflated.npz"])
  func flippedBits(name: String) throws {
    let whole = try contents(Fixtures.path(name))
    // The first member, after its local header of 30 bytes, its name and NumPy's ZIP64 field.
    for offset in 55..<60 {
      for bit in 0..<8 {
        var bytes = whole
        bytes[offset] ^= 1 << bit
        let error = failure { _ = try NumPyFile.read(ByteStore(bytes)) }
        #expect(error?.code == .malformed, "\(offset).\(bit): \(error as Any)")
      }
    }
  }

  @Test("No flipped bit anywhere makes the reader trap", arguments: ["stored.npz", "deflated.npz"])
  func robustness(name: String) throws {
    let whole = try contents(Fixtures.path(name))
    var (readCount, refusedCount) = (0, 0)
    for offset in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[offset] ^= 1 << bit
        guard let error = failure({ _ = try NumPyFile.read(ByteStore(bytes)) }) else {
          readCount += 1
          continue
        }
        let codes: Set<WeighbridgeError.Code> = [.malformed, .unsupported, .limitExceeded]
        #expect(codes.contains(error.code), "\(offset).\(bit): \(error)")
        refusedCount += 1
      }
    }
    #expect(readCount > 0 && refusedCount > 0)
  }

  @Test("Members and memory have limits")
  func limits() throws {
    var limits = NumPyLimits()
    limits.memberCount = 2
    let path = Fixtures.path("deflated.npz")
    let count = failure { _ = try NumPyFile.read(path: path, limits: limits) }
    #expect(count?.code == .limitExceeded)
    limits = NumPyLimits()
    limits.memory = 10_000
    let memory = failure { _ = try NumPyFile.read(path: path, limits: limits) }
    #expect(memory?.code == .limitExceeded)
  }

  @Test("A file is recognized by its content, and anything else is refused")
  func recognition() throws {
    let folder = try TemporaryFolder()
    let misnamed = try folder.write(contents(Fixtures.path("stored.npz")), "array.npy")
    #expect(try NumPyFile.read(path: misnamed).count == 3)
    let other = try folder.write(Array("hello".utf8), "other.npz")
    #expect(failure { _ = try NumPyFile.read(path: other) }?.code == .malformed)
    #expect(failure { _ = try NumPyFile.read(path: "\(folder.path)/none") }?.code == .missing)
  }
}
