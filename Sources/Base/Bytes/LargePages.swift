#if canImport(Glibc)
  import Glibc
#endif

/// Large pages of memory: the system has to provide fewer of them, and the processor's TLB covers
/// more memory with them.
package enum LargePages {
  /// The size of a large page in bytes.
  package static let size = 2 << 20

  /// Asks for large pages if the memory is large enough for one; the system may ignore the request.
  ///
  /// - Parameter memory: The caller's own memory; its contents are kept.
  package static func use(in memory: UnsafeMutableRawBufferPointer) {
    #if canImport(Glibc)
      guard memory.count >= size, let address = memory.baseAddress else { return }
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let start = address.alignedUp(toMultipleOf: page)
      let end = (address + memory.count).alignedDown(toMultipleOf: page)
      madvise(start, end - start, MADV_HUGEPAGE)  // only whole pages inside
    #endif
  }
}
