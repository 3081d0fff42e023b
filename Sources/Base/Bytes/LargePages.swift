#if canImport(Glibc)
  import Glibc
#endif

/// Large pages of memory: the system hands out fewer of them, and a processor runs through more
/// memory than it knows small pages for.
package enum LargePages {
  /// The size of a large page in bytes.
  package static let size = 2 << 20

  /// Asks for large pages in memory that has room for one, which the system may leave.
  ///
  /// - Parameter memory: The caller's own; what it holds stays.
  package static func use(in memory: UnsafeMutableRawBufferPointer) {
    #if canImport(Glibc)
      guard memory.count >= size, let address = memory.baseAddress else { return }
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let start = address.alignedUp(toMultipleOf: page)
      let end = (address + memory.count).alignedDown(toMultipleOf: page)
      madvise(start, end - start, MADV_HUGEPAGE)  // pages inside only
    #endif
  }
}
