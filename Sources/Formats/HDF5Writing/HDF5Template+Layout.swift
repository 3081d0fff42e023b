import Bytes

#if WritingHDF5
  import CHDF5

  extension HDF5Template {
    /// The alignment of the elements of datasets in bytes.
    private static var alignment: Int { 64 }

    /// Creates all objects in a file, and determines the locations of the datasets' elements.
    ///
    /// - Throws: ``WeighbridgeError/Code/outputFailed``.
    static func layOut(
      _ builder: HDF5Builder, _ path: String
    ) throws(WeighbridgeError) -> [(range: Range<Int>, dataset: Int)] {
      try HDF5Library.use { () throws(WeighbridgeError) in
        do throws(WeighbridgeError) { return try layOutLocked(builder, path) } catch {
          throw .outputFailed(error.reason)
        }
      }
    }

    private static func layOutLocked(
      _ builder: HDF5Builder, _ path: String
    ) throws(WeighbridgeError) -> [(range: Range<Int>, dataset: Int)] {
      let handle = try unsafe HDF5Handle(
        chdf5_create(path, alignment), "the file cannot be created")
      for group in builder.groups {
        _ = try unsafe HDF5Handle(
          chdf5_create_group(handle.identifier, group), "the group \(group) cannot be created")
      }
      var locations: [(range: Range<Int>, dataset: Int)] = []
      for (index, dataset) in builder.datasets.enumerated() {
        let created = try create(dataset, in: handle.identifier)
        guard dataset.byteCount > 0 else { continue }
        let offset = H5Dget_offset(created.identifier)
        guard let start = Int(exactly: offset) else {
          throw HDF5Library.failure("the dataset \(dataset.path) has no address")
        }
        locations.append((start..<start + dataset.byteCount, index))
      }
      for attribute in builder.attributes {
        let object = try unsafe HDF5Handle(
          H5Oopen(handle.identifier, attribute.path, chdf5_default()),
          "\(attribute.path) cannot be opened")
        try write(attribute.value, attribute.name, to: object)
      }
      try handle.close("the file cannot be written")
      return locations.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func create(
      _ dataset: HDF5Builder.Dataset, in file: hid_t
    ) throws(WeighbridgeError) -> HDF5Handle {
      let type = try HDF5Handle(
        Self.identifier(dataset.elementType), "its type cannot be created")
      let space = try space(dataset.shape)
      return try unsafe HDF5Handle(
        chdf5_create_dataset(file, dataset.path, type.identifier, space.identifier),
        "the dataset \(dataset.path) cannot be created")
    }

    /// Creates a dataspace, which is a scalar if there are no axes.
    private static func space(_ shape: [Int]) throws(WeighbridgeError) -> HDF5Handle {
      let dimensions = shape.map { hsize_t($0) }
      return try unsafe HDF5Handle(
        shape.isEmpty
          ? H5Screate(H5S_SCALAR) : H5Screate_simple(Int32(shape.count), dimensions, nil),
        "its shape cannot be created")
    }

    private static func write(
      _ value: HDF5Builder.Attribute, _ name: String, to object: borrowing HDF5Handle
    ) throws(WeighbridgeError) {
      let identifier = object.identifier
      switch value {
      case .string(let string):
        let type = try HDF5Handle(chdf5_text(0), "its type cannot be created")
        let space = try space([])
        let status = unsafe string.withCString { pointer in
          // One pointer to a NUL-terminated string, which HDF5 copies.
          unsafe withUnsafePointer(to: pointer) {
            unsafe chdf5_write_attribute(identifier, name, type.identifier, space.identifier, $0)
          }
        }
        try HDF5Library.check(status, "the attribute \(name) cannot be written")
      case .strings(let strings):
        let size = max(1, strings.map(\.utf8.count).max() ?? 1)
        let type = try HDF5Handle(chdf5_text(size), "its type cannot be created")
        let space = try space([strings.count])
        let bytes = strings.flatMap {
          Array($0.utf8) + [UInt8](repeating: 0, count: size - $0.utf8.count)
        }
        // The shape gives the number of strings of `size` bytes; for none HDF5 writes nothing.
        let status =
          unsafe strings.isEmpty
          ? chdf5_write_attribute(identifier, name, type.identifier, space.identifier, nil)
          : chdf5_write_attribute(identifier, name, type.identifier, space.identifier, bytes)
        try HDF5Library.check(status, "the attribute \(name) cannot be written")
      }
    }
  }

  extension HDF5Template {
    /// Creates an identifier of the type in which elements are written; it is the same as in h5py.
    fileprivate static func identifier(_ type: ElementType) -> hid_t {
      switch type {
      case .float16, .float32, .float64: chdf5_float(type.byteCount)
      case .bfloat16: chdf5_opaque(type.byteCount)
      case .int8, .int16, .int32, .int64: chdf5_integer(type.byteCount, 1)
      case .uint8, .uint16, .uint32, .uint64: chdf5_integer(type.byteCount, 0)
      case .bool: chdf5_bool()
      }
    }
  }
#else
  extension HDF5Template {
    static func layOut(
      _ builder: HDF5Builder, _ path: String
    ) throws(WeighbridgeError) -> [(range: Range<Int>, dataset: Int)] {
      throw .unsupported(
        "this build of Weighbridge cannot write Keras files: it has no libhdf5 (enable the package "
          + "trait WritingHDF5)")
    }
  }
#endif
