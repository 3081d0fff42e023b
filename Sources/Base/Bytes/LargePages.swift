#if canImport(Glibc)
  import Glibc
#endif

/// Large pages of memory: the system has to provide fewer of them, and the processor's TLB covers
/// more memory with them.
package enum LargePages {
  /// The size of a large page in bytes.
  package static let size = 2 << 20

  /// The size of a mapping, in bytes: whole large pages unless it is smaller than one. Linux aligns
  /// only mappings of whole large pages to them.
  package static func mappingSize(_ byteCount: Int) -> Int {
    byteCount < size ? byteCount : (byteCount + size - 1) / size * size
  }

  /// The capacity with which malloc's mapping of an array of bytes consists of whole large pages;
  /// `count` itself if that is less than a large page.
  package static func arrayCapacity(_ count: Int) -> Int {
    count < size ? count : mappingSize(count + headerSize) - headerSize
  }

  /// At least what precedes the elements of an array in a mapping: 16 bytes of malloc, 32 of Swift.
  private static let headerSize = 64

  /// Asks for large pages for the first bytes of a mapping of whole large pages, and for the last
  /// page only if they fill at least half of it.
  ///
  /// - Parameters:
  ///   - mapping: The mapping, or the elements of an array with ``arrayCapacity(_:)`` in it.
  ///   - count: The number of bytes that are used.
  package static func use(in mapping: UnsafeMutableRawBufferPointer, count: Int) {
    let tail = (count + headerSize) % size
    let end = tail < size / 2 ? min(count, mapping.count) : mapping.count
    unsafe use(in: UnsafeMutableRawBufferPointer(rebasing: mapping[..<end]))
  }

  /// Asks for large pages if the memory is large enough for one; the system may ignore the request.
  ///
  /// - Parameter memory: The caller's own memory; its contents are kept. The request includes the
  ///   pages that it shares with its neighbors, such as headers, because a large page is only used
  ///   where all of it was asked for.
  package static func use(in memory: UnsafeMutableRawBufferPointer) {
    #if canImport(Glibc)
      guard memory.count >= size, let address = memory.baseAddress else { return }
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let start = unsafe address.alignedDown(toMultipleOf: page)
      let end = unsafe (address + memory.count).alignedUp(toMultipleOf: page)
      unsafe madvise(start, end - start, MADV_HUGEPAGE)
    #endif
  }
}
