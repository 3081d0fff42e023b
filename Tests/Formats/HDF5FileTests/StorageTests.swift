import Bytes
import HDF5File
import Testing

@Suite("Storage of HDF5 datasets")
struct StorageTests {
  private let ramp = (0..<100).map(Float.init)

  @Test("chunked, packed and compact datasets are decoded")
  func decoded() throws {
    let file = try open("layouts.h5")
    #expect(try file.floats("/chunked") == ramp)
    #expect(try file.floats("/packed") == ramp)
    #expect(try file.floats("/compact") == [1, 2, 3])
    for name in ["chunked", "packed", "compact"] { #expect(try !file.isMapped("/\(name)")) }
  }

  @Test("What was never written has the fill value")
  func unwritten() throws {
    let file = try open("layouts.h5")
    #expect(try file.floats("/unwritten") == [0, 0, 0, 0])
    let filled = try file.elements("/unwritten_filled", as: UInt16.self)
    #expect(filled.map(Int16.init(bitPattern:)) == [-7, -7, -7, -7])
    let partly = try file.elements("/partly", as: UInt32.self)
    #expect(partly == [1, 2, 3, 4, 9, 9, 9, 9])
  }

  @Test("A dataset that is larger than the limit once decoded is refused before it is read")
  func limits() throws {
    let file = try open("layouts.h5")
    let huge = try file.dataset(at: "/huge")
    #expect(huge.byteCount == 1 << 42)
    expectFailure(.limitExceeded, "layouts.h5:/huge: takes 4398046511104 bytes") {
      _ = try file.contents(of: huge)
    }
    var limits = HDF5File.Limits()
    limits.datasetByteCount = 399
    let strict = try open("layouts.h5", limits: limits)
    expectFailure(.limitExceeded, "over the limit of 399") {
      _ = try strict.contents(of: strict.dataset(at: "/chunked"))
    }
    #expect(try strict.floats("/compact") == [1, 2, 3])
  }

  @Test("A size that no integer holds is an error")
  func overflow() throws {
    let file = try open("layouts.h5")
    expectFailure(.malformed, "too large") { _ = try file.dataset(at: "/enormous") }
  }

  @Test("An unknown filter, bytes in other files and virtual datasets are refused by name")
  func refused() throws {
    let file = try open("refused.h5")
    #expect(try file.elements("/lzf", as: UInt32.self) == Array(0..<100))
    expectFailure(.unsupported, "(scaleoffset)") { _ = try file.dataset(at: "/scaled") }
    expectFailure(
      .unsupported, "in another file, /etc/passwd, which is never read; HDF5's h5repack"
    ) {
      _ = try file.dataset(at: "/external")
    }
    expectFailure(.unsupported, "virtual dataset") { _ = try file.dataset(at: "/virtual") }
  }

  @Test("Chunks may be larger than the dataset can become")
  func largeChunks() throws {
    let file = try open("unusual_chunks.h5")
    #expect(try file.dataset(at: "/larger_than_maximum").shape == [6, 4])
    #expect(try file.floats("/larger_than_maximum") == Array(ramp.prefix(24)))
  }

  @Test("A filter that cannot be decoded is no error where it was skipped for every chunk")
  func skippedFilter() throws {
    let file = try open("unusual_chunks.h5")
    #expect(try file.floats("/skipped_filter") == Array(ramp.prefix(24)))
    #expect(try file.floats("/unwritten_filter") == [Float](repeating: 0, count: 24))
  }

  @Test(
    "A mapped dataset is the right range of the file, also behind a user block",
    arguments: ["one.h5", "user_block.h5", "latest.h5"])
  func ranges(name: String) throws {
    let file = try open(name)
    #expect(try file.isMapped("/data"))
    #expect(try file.floats("/data") == [0, 1, 2, 3])
  }

  @Test("A dataset that leaves the file is refused with both sizes")
  func pastTheEnd() throws {
    let file = try open("past_the_end.h5")
    expectFailure(.malformed, "/data: is at bytes 2060 to 2076, beyond the end of the file at 2064")
    {
      _ = try file.dataset(at: "/data")
    }
  }
}
