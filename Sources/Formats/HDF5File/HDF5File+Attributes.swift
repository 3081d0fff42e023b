package import Bytes

extension HDF5File {
  /// The names of the attributes of the object at an absolute path, sorted. Bytes that are not
  /// UTF-8 are replaced; an attribute is not found by such a name.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func attributeNames(of path: String) throws(WeighbridgeError) -> [String] {
    try locatingErrors(at: path) { () throws(WeighbridgeError) in
      try attributes(at: path).map { String(decoding: $0.name, as: UTF8.self) }
    }
  }

  /// Whether the object at an absolute path has an attribute with a name; its value is not read.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func hasAttribute(_ name: String, of path: String) throws(WeighbridgeError) -> Bool {
    try locatingErrors(at: path) { () throws(WeighbridgeError) in
      try attributes(at: path).element(named: Array(name.utf8), \.name) != nil
    }
  }

  /// Reads an attribute of the object at an absolute path; `nil` if it has none of that name.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   value that is neither text nor numbers, or has more than one dimension;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package func attribute(
    _ name: String, of path: String
  ) throws(WeighbridgeError) -> HDF5Attribute? {
    try locatingErrors(at: path) { () throws(WeighbridgeError) -> HDF5Attribute? in
      let entries = try attributes(at: path)
      guard let entry = entries.element(named: Array(name.utf8), \.name) else { return nil }
      do throws(WeighbridgeError) {
        return try AttributeValueReader(reader, limits).value(of: reader.message(of: entry))
      } catch {
        throw WeighbridgeError(
          error.code, "attribute \"\(name)\": \(error.reason)", place: error.place)
      }
    }
  }

  private func attributes(at path: String) throws(WeighbridgeError) -> [AttributeEntry] {
    guard let address = try resolve(path) else {
      throw .malformed("the file has nothing at this path")
    }
    return try attributes.value(at: address) { () throws(WeighbridgeError) in
      let header = try reader.header(at: address)
      return try locatingDamage(at: header) { () throws(WeighbridgeError) in
        try reader.attributes(of: header, atMost: limits.memberCount)
      }
    }
  }
}
