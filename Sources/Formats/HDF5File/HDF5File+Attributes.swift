package import Bytes
import CHDF5

extension HDF5File {
  /// The names of the attributes of the object at an absolute path, in their order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func attributeNames(of path: String) throws(WeighbridgeError) -> [String] {
    try use(path) { () throws(WeighbridgeError) in
      let object = try object(at: path)
      var list = HDF5NameList(limit: limits.memberCount)
      // The list outlives the call, and the visitor is the only one to touch it during the call.
      let status = withUnsafeMutablePointer(to: &list) { list in
        H5Aiterate2(
          object.identifier, H5_INDEX_NAME, H5_ITER_INC, nil,
          { _, name, _, context in
            guard let name, let list = context?.assumingMemoryBound(to: HDF5NameList.self) else {
              return -1
            }
            return list.pointee.append(name)
          }, list)
      }
      if let error = list.error { throw error }
      try HDF5Library.check(status, "the attributes cannot be read")
      return list.names
    }
  }

  /// Whether the object at an absolute path has an attribute of a name; its value is not read.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func hasAttribute(_ name: String, of path: String) throws(WeighbridgeError) -> Bool {
    try use(path) { () throws(WeighbridgeError) in
      try hasAttribute(name, try object(at: path))
    }
  }

  /// An attribute of the object at an absolute path; `nil` when it has none of that name.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   value that is neither text nor numbers, or has more than one axis;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package func attribute(
    _ name: String, of path: String
  ) throws(WeighbridgeError) -> HDF5Attribute? {
    try use(path) { () throws(WeighbridgeError) -> HDF5Attribute? in
      let object = try object(at: path)
      guard try hasAttribute(name, object) else { return nil }
      do throws(WeighbridgeError) {
        let attribute = try HDF5Handle(
          H5Aopen(object.identifier, name, chdf5_default()), "it cannot be opened")
        return try HDF5AttributeReader(limits: limits).value(of: attribute)
      } catch {
        throw WeighbridgeError(error.code, "attribute \"\(name)\": \(error.reason)")
      }
    }
  }
}

extension HDF5File {
  private func object(at path: String) throws(WeighbridgeError) -> HDF5Handle {
    guard let object = try resolve(path) else {
      throw WeighbridgeError(.malformed, "the file has nothing at this path")
    }
    return object
  }

  private func hasAttribute(
    _ name: String, _ object: borrowing HDF5Handle
  ) throws(WeighbridgeError) -> Bool {
    try HDF5Library.check(
      H5Aexists(object.identifier, name), "the attributes cannot be read") > 0
  }
}

/// The names collected so far.
private struct HDF5NameList {
  let limit: Int
  var names: [String] = []
  var error: WeighbridgeError?

  init(limit: Int) { self.limit = limit }

  mutating func append(_ name: UnsafePointer<CChar>) -> herr_t {
    // HDF5's own copy of the name, terminated by a zero, valid during the call.
    guard let name = String(validatingCString: name) else {
      error = WeighbridgeError(.malformed, "an attribute's name is not UTF-8")
      return 1
    }
    guard names.count < limit else {
      error = WeighbridgeError(.limitExceeded, "has more than \(limit) attributes")
      return 1
    }
    names.append(name)
    return 0
  }
}
