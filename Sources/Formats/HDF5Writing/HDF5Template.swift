package import Bytes

/// An HDF5 file without the elements of its datasets, for which HDF5 has reserved space. It is kept
/// in an unnamed file until its bytes and the elements have been written elsewhere in order. So an
/// HDF5 file can also become part of another file, and its elements are never in memory.
package struct HDF5Template: ~Copyable {
  private let file: AtomicFile
  private let path: String
  /// The location of each dataset's elements, in file order.
  private let locations: [(range: Range<Int>, dataset: Int)]

  /// The size of the whole file in bytes.
  package let byteCount: Int

  /// Lets HDF5 lay out a file.
  ///
  /// - Parameter path: The path of the file to be written; the temporary file is in the same
  ///   folder.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   string that HDF5 cannot store.
  package init(_ builder: HDF5Builder, near path: String) throws(WeighbridgeError) {
    var file = try AtomicFile(path: path, isNamed: true)
    let name = file.temporaryName ?? ""  // always present, due to `isNamed`
    let locations = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try Self.checkStrings(builder)
      return try Self.layOut(builder, name)
    }
    try file.unlinkTemporaryName()
    self.locations = locations
    self.path = path
    byteCount = file.count
    self.file = file
  }

  /// The datasets that have elements, as indices in the builder, in file order.
  package var datasets: [Int] { locations.map(\.dataset) }

  /// Returns the bytes before the elements of a dataset, given its position in ``datasets``; after
  /// the last one, the remaining bytes.
  package borrowing func bytes(before position: Int) throws(WeighbridgeError) -> [UInt8] {
    let start = position == 0 ? 0 : locations[position - 1].range.upperBound
    let end = position < locations.count ? locations[position].range.lowerBound : byteCount
    guard start <= end, end <= byteCount else {
      throw .outputFailed("HDF5 has left no room for a dataset").at(file: path)
    }
    var result: [UInt8] = []
    try file.withWrittenBytes { (bytes) throws(WeighbridgeError) in
      result = bytes.copied(start..<end)
    }
    return result
  }

  private static func checkStrings(_ builder: HDF5Builder) throws(WeighbridgeError) {
    for attribute in builder.attributes {
      let strings =
        switch attribute.value {
        case .string(let string): [string]
        case .strings(let strings): strings
        }
      if ([attribute.name] + strings).contains(where: { $0.utf8.contains(0) }) {
        throw .unsupported("the string \(attribute.name) contains a NUL, which HDF5 cannot store")
      }
    }
  }
}
