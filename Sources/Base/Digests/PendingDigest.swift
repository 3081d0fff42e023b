package import Bytes
import Dispatch
import Synchronization

/// A SHA-256 digest computed on another thread.
package final class PendingDigest: Sendable {
  private let result = Mutex<Result<[UInt8], WeighbridgeError>>(.success([]))
  private let group = DispatchGroup()

  /// Starts computing the digest of all bytes of a store.
  package init(sha256Of store: ByteStore) {
    DispatchQueue.global(qos: .userInitiated).async(group: group) { [self] in
      let digest = Result { () throws(WeighbridgeError) in try sha256(of: store) }
      result.withLock { $0 = digest }
    }
  }

  /// Whether the digest is available.
  package var isDone: Bool { group.wait(timeout: .now()) == .success }

  /// Waits until the digest is available.
  package func wait() { group.wait() }

  /// Returns the digest's 32 bytes after waiting until it is available.
  ///
  /// - Throws: As ``sha256(of:)``.
  package func value() throws(WeighbridgeError) -> [UInt8] {
    group.wait()
    return try result.withLock { $0 }.get()
  }
}
