import Bytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for all activations of a plan.
final class Arena {
  /// The start, aligned to a page; owned by this object.
  let address: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Maps zeroed memory, which the system commits when it is first written.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough.
  init(byteCount: Int) throws(WeighbridgeError) {
    self.byteCount = LargePages.mappingSize(max(byteCount, 64))
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let address = mmap(nil, self.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
      address != MAP_FAILED
    else {
      throw .limitExceeded(
        "its activations take \(byteCount) bytes, which the system does not have")
    }
    let mapping = UnsafeMutableRawBufferPointer(start: address, count: self.byteCount)
    LargePages.use(in: mapping, count: byteCount)
    self.address = address
  }

  deinit { munmap(address, byteCount) }
}
