package import Bytes
import CCrypto

/// Computes the SHA-256 digest (FIPS 180-4) of all bytes of `store`: 32 bytes.
///
/// - Throws: ``WeighbridgeError/Code/limitExceeded`` when the library has no memory for its state.
package func sha256(of store: ByteStore) throws(WeighbridgeError) -> [UInt8] {
  // The library's configuration file could only select other implementations, and takes 3 ms to
  // read. Without the library's cleanup at exit, a digest may outlive the main thread.
  OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT), nil)
  guard let context = unsafe EVP_MD_CTX_new(),
    unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
  else {
    throw .limitExceeded("not enough memory for a SHA-256 digest")
  }
  defer { unsafe EVP_MD_CTX_free(context) }
  store.withBytes { bytes in
    unsafe bytes.withUnsafeBytes { buffer in
      // The buffer's own size.
      _ = unsafe EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
    }
  }
  var digest = [UInt8](repeating: 0, count: 32)
  unsafe EVP_DigestFinal_ex(context, &digest, nil)  // writes the 32 bytes of SHA-256
  return digest
}
