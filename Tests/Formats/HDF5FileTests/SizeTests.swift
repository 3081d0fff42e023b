import Bytes
import CHDF5
import Foundation
import HDF5File
import HDF5Writing
import Testing

/// Files with many objects, which libhdf5 makes for the test.
@Suite("Large HDF5 files")
struct SizeTests {
  @Test(
    "Groups and attributes of any number read as libhdf5 reads them",
    arguments: [1, 8, 9, 250, 20_000], [false, true])
  func many(count: Int, isNewest: Bool) throws {
    let path = "\(NSTemporaryDirectory())/groups-\(UUID().uuidString).h5"
    defer { unlink(path) }
    try write(count, isNewest, path)
    let file = try HDF5File(path: path)
    #expect(try file.group(at: "/above").members.count == count)
    #expect(try file.exists("/above/group \(count - 1)"))
    #expect(try !file.exists("/above/group \(count)"))
    expectSame(try FileListing(file: file).lines(), try LibHDF5Listing.lines(path: path))
  }

  /// Writes a group with so many groups in it, and attributes of its own.
  private func write(_ count: Int, _ isNewest: Bool, _ path: String) throws {
    try HDF5Library.use { () throws(LibHDF5.Failure) in
      let identifier = isNewest ? chdf5_create_newest(path) : chdf5_create(path, 64)
      let file = try LibHDF5.Handle(identifier, path)
      let above = try LibHDF5.Handle(chdf5_create_group(file.identifier, "/above"), path)
      let space = try LibHDF5.Handle(H5Screate(H5S_SCALAR), "a space")
      for index in 0..<count {
        let group = try LibHDF5.Handle(
          chdf5_create_group(above.identifier, "group \(index)"), "group \(index)")
        // Headers of the oldest format have room for 64 KiB of attributes.
        guard index < 300 else { continue }
        var value = Int64(index)
        let type = chdf5_native_int64()
        try LibHDF5.check(
          chdf5_write_attribute(
            above.identifier, "attribute \(index)", type, space.identifier, &value),
          "attribute \(index)")
        try LibHDF5.check(
          chdf5_write_attribute(group.identifier, "value", type, space.identifier, &value), "value")
      }
    }
  }
}
