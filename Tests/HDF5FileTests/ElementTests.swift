import Bytes
import HDF5File
import Testing

@Suite("Elements of HDF5 datasets")
struct ElementTests {
  private let six = [0.5, -1.25, 2, 3.5, -4, 65504]

  @Test(
    "floating-point numbers keep their bits in either byte order", arguments: ["little", "big"])
  func floats(order: String) throws {
    let file = try open("numbers.h5")
    let half = try file.elements("/\(order)_f2", as: UInt16.self)
    #expect(half == [0x3800, 0xBD00, 0x4000, 0x4300, 0xC400, 0x7BFF])
    #expect(try file.floats("/\(order)_f4") == six.map(Float.init))
    let doubles = try file.elements("/\(order)_f8", as: UInt64.self)
    #expect(doubles.map { Double(bitPattern: $0) } == six)
    let brain = try file.elements("/\(order)_bfloat16", as: UInt16.self)
    #expect(brain == [0x3F80, 0xC000, 0x7F7F])
    #expect(try file.dataset(at: "/\(order)_f2").elementType == .float16)
    #expect(try file.dataset(at: "/\(order)_f4").shape == [2, 3])
    #expect(try file.dataset(at: "/\(order)_bfloat16").elementType == .bfloat16)
  }

  @Test("Integers keep their values in either byte order", arguments: ["little", "big"])
  func integers(order: String) throws {
    let file = try open("numbers.h5")
    #expect(try file.elements("/\(order)_i1", as: UInt8.self) == [0, 1, 100, 0x7F, 0x80])
    #expect(try file.elements("/\(order)_i2", as: UInt16.self) == [0, 1, 100, 0x7FFF, 0x8000])
    let words = try file.elements("/\(order)_i4", as: UInt32.self)
    #expect(words == [0, 1, 100, 0x7FFF_FFFF, 0x8000_0000])
    let long = try file.elements("/\(order)_i8", as: UInt64.self)
    #expect(long == [0, 1, 100, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000])
    #expect(try file.elements("/\(order)_u1", as: UInt8.self) == [0, 1, 100, .max, 0])
    #expect(try file.elements("/\(order)_u2", as: UInt16.self) == [0, 1, 100, .max, 0])
    #expect(try file.elements("/\(order)_u4", as: UInt32.self) == [0, 1, 100, .max, 0])
    #expect(try file.elements("/\(order)_u8", as: UInt64.self) == [0, 1, 100, .max, 0])
  }

  @Test("Each element type is recognized")
  func types() throws {
    let file = try open("numbers.h5")
    let expected: [String: ElementType] = [
      "f2": .float16, "f4": .float32, "f8": .float64, "bfloat16": .bfloat16, "i1": .int8,
      "i2": .int16, "i4": .int32, "i8": .int64, "u1": .uint8, "u2": .uint16, "u4": .uint32,
      "u8": .uint64,
    ]
    for (name, type) in expected {
      #expect(try file.dataset(at: "/little_\(name)").elementType == type)
      #expect(try file.dataset(at: "/big_\(name)").elementType == type)
    }
    #expect(try file.dataset(at: "/bool").elementType == .bool)
  }

  @Test("Only little-endian elements are used where they are in the file")
  func mapping() throws {
    let file = try open("numbers.h5")
    #expect(try file.isMapped("/little_f4"))
    #expect(try file.isMapped("/little_bfloat16"))
    #expect(try file.isMapped("/bool"))
    #expect(try file.isMapped("/big_i1"))
    #expect(try !file.isMapped("/big_f4"))
    #expect(try !file.isMapped("/big_bfloat16"))
  }

  @Test("Two opaque bytes, as h5py stores bfloat16, are read as bfloat16")
  func opaque() throws {
    let file = try open("opaque.h5")
    for path in ["/plain", "/packed"] {
      #expect(try file.dataset(at: path).elementType == .bfloat16)
      #expect(try file.elements(path, as: UInt16.self) == [0x3F80, 0xC000, 0x7F7F])
    }
    #expect(try file.isMapped("/plain"))
  }

  @Test("booleans, a scalar and a dataset without elements are read")
  func small() throws {
    let file = try open("numbers.h5")
    #expect(try file.elements("/bool", as: UInt8.self) == [1, 0, 1])
    #expect(try file.dataset(at: "/scalar").shape == [])
    #expect(try file.floats("/scalar") == [2.5])
    #expect(try file.dataset(at: "/empty").shape == [0, 3])
    #expect(try file.contents(of: file.dataset(at: "/empty")) == [])
  }

  @Test("Enumerations are read as their numbers, and elements that are arrays as dimensions")
  func plainValues() throws {
    let file = try open("refused.h5")
    #expect(try file.dataset(at: "/colors").elementType == .int8)
    #expect(try file.elements("/colors", as: UInt8.self) == [0, 1])
    #expect(try file.dataset(at: "/array").shape == [1, 3])
    #expect(try file.floats("/array") == [0, 0, 0])
  }

  @Test(
    "A type that is not a number is refused by name",
    arguments: [
      ("string", "type string"), ("compound", "type compound"), ("reference", "type reference"),
      ("list", "variable-length list"),
      ("opaque", "type opaque"), ("odd_float", "numbers of 4 bytes in an uncommon layout"),
      ("odd_integer", "integers of 4 bytes in an uncommon layout"), ("no_space", "null dataspace"),
    ])
  func refusedTypes(name: String, reason: String) throws {
    let file = try open("refused.h5")
    expectFailure(.unsupported, reason) { _ = try file.dataset(at: "/\(name)") }
    expectFailure(.unsupported, "refused.h5:/\(name)") { _ = try file.dataset(at: "/\(name)") }
  }

  @Test("Nested types are read up to a limit")
  func depth() throws {
    let file = try open("deep_types.h5")
    expectFailure(.limitExceeded, "/data: the datatype nests types deeper than 32") {
      _ = try file.dataset(at: "/data")
    }
  }
}
