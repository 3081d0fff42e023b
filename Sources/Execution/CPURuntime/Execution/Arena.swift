import Bytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for all activations of a plan.
final class Arena {
  /// The start, aligned to a page; the memory is this object's until it goes.
  let address: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Takes memory from the system, which is zero and takes nothing until it is written.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough.
  init(byteCount: Int) throws(WeighbridgeError) {
    self.byteCount = max(byteCount, 64)
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let address = mmap(nil, self.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
      address != MAP_FAILED
    else {
      throw WeighbridgeError(
        .limitExceeded, "its activations take \(byteCount) bytes, which the system does not have")
    }
    useLargePages(address, self.byteCount)
    self.address = address
  }

  deinit { munmap(address, byteCount) }
}

/// The size of a large page in bytes.
let largePageSize = 2 << 20

/// Asks for fewer and larger pages, which the system may leave: kernels run through more memory than
/// a processor knows small pages for.
///
/// - Parameter byteCount: The size of the memory, which is the caller's.
func useLargePages(_ address: UnsafeMutableRawPointer, _ byteCount: Int) {
  #if canImport(Glibc)
    madvise(address, byteCount, MADV_HUGEPAGE)
  #endif
}
