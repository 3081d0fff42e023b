import Bytes
import HDF5File
import Testing

@Suite("HDF5 files")
struct FileTests {
  @Test("A file that is not HDF5 is refused")
  func noHDF5() {
    expectFailure(.malformed, "is not an HDF5 file") { _ = try open("text.h5") }
    expectFailure(.malformed, "zero_bytes.h5: is empty") { _ = try open("zero_bytes.h5") }
    expectFailure(.missing, "cannot open") { _ = try open("not_there.h5") }
    expectFailure(.missing, "is a folder") { _ = try open("") }
  }

  @Test("A file that was cut off is refused with both sizes")
  func cutOff() {
    expectFailure(.malformed, "it has 1964 bytes, but its superblock says 2064") {
      _ = try open("cut_off.h5")
    }
  }

  @Test("A superblock of an unknown version is refused")
  func future() {
    expectFailure(.unsupported, "superblock of version 9") { _ = try open("future.h5") }
  }

  @Test("A damaged object is refused with its path and the byte")
  func broken() throws {
    expectFailure(.malformed, "broken_root.h5:/: there is no object header (byte 96 of the file)") {
      _ = try open("broken_root.h5").group(at: "/")
    }
  }

  @Test("The signature is found at 0 and at powers of two from 512")
  func signature() {
    let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
    func isHDF5(_ offset: Int, _ count: Int = 8) -> Bool {
      let bytes = [UInt8](repeating: 0, count: offset) + signature.prefix(count)
      return HDF5File.isHDF5(bytes.span.bytes)
    }
    for offset in [0, 512, 1024, 2048, 1 << 20] { #expect(isHDF5(offset)) }
    for offset in [1, 8, 256, 1536] { #expect(!isHDF5(offset)) }
    #expect(!isHDF5(0, 0))
    #expect(!isHDF5(0, 7))
  }

  @Test("A file that is part of other bytes in memory is read in place", arguments: [0, 1, 517])
  func image(offset: Int) throws {
    let own = try open("layouts.h5")
    let bytes = own.store.withBytes { $0.copied(0..<$0.byteCount) }
    let around = [UInt8](repeating: 7, count: offset)
    let store = ByteStore(around + bytes + around)
    let byteRange = offset..<offset + bytes.count
    let image = try HDF5File(store, byteRange: byteRange, path: "image")
    let other = try HDF5File(ByteStore(bytes), path: "other")  // two images open at once
    #expect(try image.members(below: "/") == own.members(below: "/"))
    var compared = 0
    for member in try own.members(below: "/") where member.kind == .dataset {
      guard let dataset = try? own.dataset(at: member.path), dataset.byteCount < 1 << 20 else {
        continue
      }
      compared += 1
      let expected = try own.contents(of: dataset)
      #expect(try image.contents(of: image.dataset(at: member.path)) == expected)
      #expect(try other.contents(of: other.dataset(at: member.path)) == expected)
    }
    #expect(compared > 5)
    expectFailure(.malformed, "image: is cut off") {
      _ = try HDF5File(store, byteRange: offset..<byteRange.upperBound - 100, path: "image")
    }
  }

  @Test("Many tasks may read one file and open it again")
  func tasks() async throws {
    let shared = try open("layouts.h5")
    try await withThrowingTaskGroup(of: [Float].self) { group in
      for index in 0..<32 {
        group.addTask {
          let file = index.isMultiple(of: 2) ? shared : try open("layouts.h5")
          return try file.floats("/packed")
        }
      }
      for try await values in group { #expect(values == (0..<100).map(Float.init)) }
    }
  }
}
