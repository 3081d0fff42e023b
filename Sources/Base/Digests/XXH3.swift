package import Bytes
import CXXHash

/// An XXH3-128 digest (the canonical, big-endian form of the xxHash specification), 16 bytes.
///
/// It detects files that were damaged by accident; it does not protect against deliberate changes.
package struct XXH3Digest: Hashable, Sendable {
  /// The digest's 16 bytes.
  package let bytes: [UInt8]

  /// A digest read from a file; `nil` unless it has 16 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Computes the digest of bytes.
  package init(of bytes: RawSpan) {
    unsafe self.init(bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) })
  }

  fileprivate init(_ hash: XXH128_hash_t) {
    var canonical = XXH128_canonical_t()
    unsafe XXH128_canonicalFromHash(&canonical, hash)
    // Copied before the closure ends.
    bytes = unsafe withUnsafeBytes(of: canonical.digest) { unsafe Array($0) }
  }
}

/// Computes an XXH3-128 digest of bytes that are added in pieces.
@safe package struct XXH3Stream: ~Copyable {
  private let state: OpaquePointer

  /// Starts a digest.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is no memory for its state.
  package init() throws(WeighbridgeError) {
    guard let state = unsafe XXH3_createState() else {
      throw .limitExceeded("not enough memory for a digest")
    }
    unsafe self.state = state
    unsafe XXH3_128bits_reset(state)
  }

  deinit { unsafe XXH3_freeState(state) }

  /// Starts over.
  package mutating func reset() {
    unsafe XXH3_128bits_reset(state)
  }

  /// Adds the next bytes.
  package mutating func update(_ bytes: RawSpan) {
    // The buffer's own size; the library keeps no pointer to it.
    unsafe bytes.withUnsafeBytes { _ = unsafe XXH3_128bits_update(state, $0.baseAddress, $0.count) }
  }

  /// Returns the digest of all bytes added so far.
  package borrowing func digest() -> XXH3Digest {
    unsafe XXH3Digest(XXH3_128bits_digest(state))
  }
}
