import Bytes
import NumPyFormat
import Testing

@Suite(".npy files of NumPy")
struct NPYTests {
  @Test(
    "Every element type reads, little- and big-endian",
    arguments: [
      ("f2", ElementType.float16), ("f4", .float32), ("f8", .float64), ("i1", .int8),
      ("i2", .int16), ("i4", .int32), ("i8", .int64), ("u1", .uint8), ("u2", .uint16),
      ("u4", .uint32), ("u8", .uint64),
    ])
  func elementTypes(name: String, type: ElementType) throws {
    for order in ["little", "big"] {
      let array = try Fixtures.array("\(order)-\(name).npy")
      #expect(array.elementType == type)
      #expect(array.shape == [2, 3])
      #expect(array.name == "")
      #expect(array.numbers == [0, 1, 2, 3, 4, 5])
    }
  }

  @Test("Booleans read as bytes")
  func bool() throws {
    let array = try Fixtures.array("bool.npy")
    #expect(array.elementType == .bool)
    #expect(array.bytes == [1, 0, 0, 1])
  }

  @Test("Fortran order is turned into row-major order")
  func fortranOrder() throws {
    let array = try Fixtures.array("fortran.npy")
    #expect(array.shape == [2, 3, 4])
    #expect(array.numbers == (0..<24).map { Double($0) })
    let big = try Fixtures.array("fortran-big.npy")
    #expect(big.elementType == .int32)
    #expect(big.numbers == (0..<15).map { Double($0) })
    #expect(try Fixtures.array("fortran-vector.npy").numbers == [0, 1, 2, 3, 4, 5])
  }

  @Test("Scalars, vectors and empty arrays keep their shapes")
  func shapes() throws {
    let scalar = try Fixtures.array("scalar.npy")
    #expect(scalar.shape == [] && scalar.numbers == [5])
    #expect(try Fixtures.array("vector.npy").shape == [4])
    #expect(try Fixtures.array("empty.npy").shape == [3, 0, 2])
    #expect(try Fixtures.array("empty-fortran.npy").shape == [3, 0, 2])
  }

  @Test("What NumPy writes for ml_dtypes' bfloat16 reads")
  func bfloat16() throws {
    let array = try Fixtures.array("bfloat16.npy")
    #expect(array.elementType == .bfloat16 && array.shape == [2, 3])
    #expect(array.numbers == [0, 1, 2, 3, 4, 5])
  }

  @Test("All three versions read", arguments: [1, 2, 3])
  func versions(version: Int) throws {
    #expect(try Fixtures.array("version-\(version).npy").numbers == [0, 1, 2, 3, 4, 5])
  }

  @Test("Row-major little-endian elements stay in the mapped file")
  func mapping() throws {
    let path = Fixtures.path("little-f4.npy")
    let array = try #require(try NumPyFile.read(path: path).first)
    #expect(array.storage.count == 152)
    #expect(array.range == 128..<152)
    #expect(array.storage.withDescriptor { $0 != nil })
  }

  @Test(
    "Element types that are not supported are refused by name",
    arguments: [
      ("object", "pickled Python objects"), ("text", "strings"), ("complex", "complex"),
      ("date", "dates"), ("structure", "structures"), ("bfloat16", "bfloat16"),
    ])
  func refusals(name: String, phrase: String) {
    let error = failure { _ = try Fixtures.read("refused-\(name).npy") }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains(phrase) == true, "\(error?.reason ?? "")")
  }

  @Test("A file cut off anywhere, or longer than its array, is refused")
  func truncation() throws {
    let whole = try contents(Fixtures.path("little-f4.npy"))
    for count in 0..<whole.count {
      let error = failure { _ = try NumPyFile.read(ByteStore(Array(whole[..<count]))) }
      #expect(error?.code == .malformed, "\(count) bytes")
    }
    #expect(failure { _ = try NumPyFile.read(ByteStore(whole + [0])) }?.code == .malformed)
  }

  @Test(
    "A header that is not NumPy's dictionary is refused",
    arguments: [
      "", "{}", "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': True}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
      "{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f4",
      "{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}",
    ])
  func malformedHeaders(text: String) {
    #expect(failure { _ = try NumPyFile.read(ByteStore(file(text))) }?.code == .malformed)
  }

  @Test("Spacing, quotes and key order are free")
  func freedom() throws {
    let text = "{ \"shape\":(2 ,),'fortran_order' : False,\n'descr':'<f4'}"
    #expect(try NumPyFile.read(ByteStore(file(text))).first?.shape == [2])
    let old = "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }"
    #expect(try NumPyFile.read(ByteStore(file(old))).first?.shape == [2])
  }

  @Test("Too many axes and too long a header are over their limits")
  func limits() {
    let axes = String(repeating: "1, ", count: 65)
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(axes))}"
    #expect(failure { _ = try NumPyFile.read(ByteStore(file(text))) }?.code == .limitExceeded)
    var limits = NumPyLimits()
    limits.headerByteCount = 10
    let whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}")
    let error = failure { _ = try NumPyFile.read(ByteStore(whole), limits: limits) }
    #expect(error?.code == .limitExceeded)
  }

  @Test("An unknown version is refused")
  func unknownVersion() {
    var whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}")
    whole[6] = 4
    #expect(failure { _ = try NumPyFile.read(ByteStore(whole)) }?.code == .unsupported)
  }

  /// A version 1.0 file with a header text and eight zero bytes of elements.
  private func file(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    return [0x93] + "NUMPY".utf8 + [1, 0, UInt8(count & 0xFF), UInt8(count >> 8)] + text.utf8
      + [UInt8](repeating: 0, count: 8)
  }
}
