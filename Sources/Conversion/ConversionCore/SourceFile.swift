package import Bytes
package import Digests

/// One of the files that a model is read from.
package struct SourceFile: Sendable {
  /// What it contains: `model`, `weights`, `architecture`.
  package var role: String
  /// The path as it was given.
  package let path: String
  /// All bytes.
  package let store: ByteStore
  /// The SHA-256 digest, if its computation was started when the file was opened.
  package let digest: PendingDigest?

  package init(role: String, path: String, store: ByteStore, startsDigest: Bool) {
    self.role = role
    self.path = path
    self.store = store
    digest = startsDigest ? PendingDigest(sha256Of: store) : nil
  }

  /// Opens a file that a user names as a model, an architecture or weights.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when it does not exist;
  ///   ``WeighbridgeError/Code/unsupported`` when it is certainly something else, with what it is;
  ///   ``WeighbridgeError/Code/malformed`` when it is empty.
  package static func open(_ path: String) throws(WeighbridgeError) -> ByteStore {
    try ForeignFolder.refuse(path)
    let store = ByteStore(try MappedFile(path: path))
    store.advise(.random)  // examining the start must not read the whole file
    defer { store.advise(.sequential) }
    try ForeignFile.refuse(store, path: path)
    return store
  }
}
