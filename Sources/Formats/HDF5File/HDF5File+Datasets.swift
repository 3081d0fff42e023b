package import Bytes

extension HDF5File {
  /// Returns the dataset at an absolute path: its type, shape and location.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, or its bytes are not inside
  ///   the file; ``WeighbridgeError/Code/unsupported`` for an element type or filter that cannot be
  ///   read, or data outside the file; ``WeighbridgeError/Code/limitExceeded``.
  package func dataset(at path: String) throws(WeighbridgeError) -> HDF5Dataset {
    try locatingErrors(at: path) { () throws(WeighbridgeError) in
      try read(path) { (reader) throws(WeighbridgeError) in
        HDF5Dataset(
          path: path, elementType: reader.element.elementType, shape: reader.shape,
          byteCount: reader.byteCount, storage: try reader.storage())
      }
    }
  }

  /// Returns a copy of a dataset's elements: dense, row-major, little-endian. Those of a dataset
  /// that was never written are its fill value.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they cannot be decoded;
  ///   ``WeighbridgeError/Code/limitExceeded`` when they are larger than the limit.
  package func contents(of dataset: HDF5Dataset) throws(WeighbridgeError) -> [UInt8] {
    if case .fileRange(let range) = dataset.storage {
      return store.withBytes { $0.copied(range) }
    }
    return try locatingErrors(at: dataset.path) { () throws(WeighbridgeError) in
      let limit = limits.decodedByteCount(ofFileWith: store.count)
      guard dataset.byteCount <= limit else {
        throw .limitExceeded("takes \(dataset.byteCount) bytes decoded, over the limit of \(limit)")
      }
      return try read(dataset.path) { (reader) throws(WeighbridgeError) in
        guard reader.element.elementType == dataset.elementType, reader.shape == dataset.shape
        else {
          throw .malformed("is not what it was when the file was opened")
        }
        return try reader.contents(atMost: limit)
      }
    }
  }

  /// Reads the dataset at a path.
  private func read<Result>(
    _ path: String, _ body: (DatasetReader) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let header = try object(at: path)
    guard header.kind == .dataset else { throw .malformed("is not a dataset") }
    return try locatingDamage(at: header) { () throws(WeighbridgeError) in
      try body(DatasetReader(header, reader))
    }
  }
}
