package import Bytes
package import Digests

/// A file that a model is made of.
package struct SourceFile: Sendable {
  /// What it contributes: `model`, `weights`, `architecture`.
  package let role: String
  /// The path as it was given.
  package let path: String
  /// All bytes.
  package let store: ByteStore
  /// The SHA-256 digest, when its computation was started along with the reading.
  package let digest: PendingDigest?

  package init(role: String, path: String, store: ByteStore, startsDigest: Bool) {
    self.role = role
    self.path = path
    self.store = store
    digest = startsDigest ? PendingDigest(sha256Of: store) : nil
  }

  /// Opens a file that a user names as a model, an architecture or weights.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when it is not there;
  ///   ``WeighbridgeError/Code/unsupported``, with what it is instead, when it is certainly
  ///   something else; ``WeighbridgeError/Code/malformed`` when it is empty.
  package static func open(_ path: String) throws(WeighbridgeError) -> ByteStore {
    try ForeignFolder.refuse(path)
    let store = ByteStore(try MappedFile(path: path))
    store.expect(.sparse)  // looking at the start must not read all of it
    defer { store.expect(.sequential) }
    try ForeignFile.refuse(store, path: path)
    return store
  }
}
