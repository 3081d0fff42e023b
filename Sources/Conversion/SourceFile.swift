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
  /// The SHA-256 digest, when its computation was begun with the reading.
  package let digest: PendingDigest?

  init(role: String, path: String, store: ByteStore, startsDigest: Bool) {
    self.role = role
    self.path = path
    self.store = store
    digest = startsDigest ? PendingDigest(sha256Of: store) : nil
  }
}
