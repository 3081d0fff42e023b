package import Bytes

extension HDF5File {
  /// The dataset at an absolute path: its type, shape and location.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, or its bytes are not inside
  ///   the file; ``WeighbridgeError/Code/unsupported`` for an element type or filter that cannot be
  ///   read, or data outside the file; ``WeighbridgeError/Code/limitExceeded``.
  package func dataset(at path: String) throws(WeighbridgeError) -> HDF5Dataset {
    try use(path) { () throws(WeighbridgeError) in
      try read(path) { (dataset) throws(WeighbridgeError) in
        HDF5Dataset(
          path: path, elementType: dataset.element.elementType, shape: dataset.shape,
          byteCount: dataset.byteCount, storage: try dataset.storage())
      }
    }
  }

  /// A dataset's bytes: dense, row-major, little-endian. A dataset that was never written yields
  /// its fill value. Copies `byteCount` bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they cannot be decoded;
  ///   ``WeighbridgeError/Code/limitExceeded`` when they are larger than the limit.
  package func contents(of dataset: HDF5Dataset) throws(WeighbridgeError) -> [UInt8] {
    if case .fileRange(let range) = dataset.storage {
      return store.withBytes { $0.copied(range) }
    }
    return try use(dataset.path) { () throws(WeighbridgeError) in
      let limit = limits.decodedByteCount(ofFileWith: store.count)
      guard dataset.byteCount <= limit else {
        throw .limitExceeded("takes \(dataset.byteCount) bytes decoded, over the limit of \(limit)")
      }
      return try read(dataset.path) { (found) throws(WeighbridgeError) in
        guard found.element.elementType == dataset.elementType, found.shape == dataset.shape else {
          throw .malformed("is not what it was when the file was opened")
        }
        return try found.contents(atMost: limit)
      }
    }
  }

  /// Reads the dataset at a path.
  private func read<Result>(
    _ path: String, _ body: (DatasetReader) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let header = try object(at: path)
    guard header.kind == .dataset else { throw .malformed("is not a dataset") }
    return try damage(at: header) { () throws(WeighbridgeError) in
      try body(DatasetReader(header, reader))
    }
  }
}
