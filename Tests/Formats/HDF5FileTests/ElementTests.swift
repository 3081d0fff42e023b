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
      ("opaque", "type opaque"), ("no_space", "null dataspace"),
    ])
  func refusedTypes(name: String, reason: String) throws {
    let file = try open("refused.h5")
    expectFailure(.unsupported, reason) { _ = try file.dataset(at: "/\(name)") }
    expectFailure(.unsupported, "refused.h5:/\(name)") { _ = try file.dataset(at: "/\(name)") }
  }

  @Test("Integers within any bits of an element become the next width")
  func oddIntegers() throws {
    let file = try open("odd_numbers.h5")
    #expect(try file.dataset(at: "/int4_in_1").elementType == .int8)
    #expect(try file.elements("/int4_in_1", as: UInt8.self) == [0, 7, 0xF8, 0xFF])
    #expect(try file.dataset(at: "/int12_in_2").elementType == .int16)
    #expect(try file.elements("/int12_in_2", as: UInt16.self) == [0, 2047, 0xF800, 0xFFFF])
    #expect(try file.dataset(at: "/int24").elementType == .int32)
    let words = try file.elements("/int24", as: UInt32.self)
    #expect(words == [0, 8_388_607, 0xFF80_0000, 0xFFFF_FFFF])
    #expect(try file.dataset(at: "/uint40").elementType == .uint64)
    #expect(try file.elements("/uint40", as: UInt64.self) == [0, (1 << 40) - 1, 1 << 39])
    #expect(try file.elements("/uint64_in_9", as: UInt64.self) == [0, .max])
    #expect(try open("refused.h5").dataset(at: "/odd_integer").elementType == .int32)
  }

  @Test("Floats of any layout become the smallest type that contains them")
  func oddFloats() throws {
    let file = try open("odd_numbers.h5")
    let values = [0, 1.5, -2.25, 0.25]
    for name in ["float8", "float24"] {
      #expect(try file.dataset(at: "/\(name)").elementType == .float32)
      #expect(try file.floats("/\(name)") == values.map(Float.init), "\(name)")
    }
    for name in ["float32_range", "float48_big"] {
      #expect(try file.doubles("/\(name)") == values, "\(name)")
    }
    for name in ["extended", "extended_packed"] {
      #expect(try file.dataset(at: "/\(name)").elementType == .float64)
      #expect(try file.doubles("/\(name)") == values + [1 / 3, 1e300], "\(name)")
      #expect(try !file.isMapped("/\(name)"))
    }
  }

  @Test("Two opaque bytes with a tag are not bfloat16")
  func taggedOpaque() throws {
    let file = try open("odd_numbers.h5")
    #expect(try file.dataset(at: "/tagged").elementType == .bfloat16)
    expectFailure(.unsupported, "type opaque") { _ = try file.dataset(at: "/tag") }
  }

  @Test("Nested types are read up to a limit")
  func depth() throws {
    let file = try open("deep_types.h5")
    expectFailure(.limitExceeded, "/data: the datatype nests types deeper than 32") {
      _ = try file.dataset(at: "/data")
    }
  }
}
