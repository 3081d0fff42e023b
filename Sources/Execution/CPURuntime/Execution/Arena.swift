import Bytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for all activations of a plan.
@safe final class Arena {
  /// The start, aligned to a page; owned by this object.
  let address: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Maps zeroed memory, which the system commits when it is first written.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough.
  init(byteCount: Int) throws(WeighbridgeError) {
    self.byteCount = LargePages.mappingSize(max(byteCount, 64))
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let address = unsafe mmap(nil, self.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
      unsafe address != MAP_FAILED
    else {
      throw .limitExceeded(
        "its activations take \(byteCount) bytes, which the system does not have")
    }
    let mapping = unsafe UnsafeMutableRawBufferPointer(start: address, count: self.byteCount)
    unsafe LargePages.use(in: mapping, count: byteCount)
    unsafe self.address = unsafe address
  }

  deinit { unsafe munmap(address, byteCount) }
}
