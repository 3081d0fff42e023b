import CKernels

/// The threads that kernels run on.
enum Threads {
  /// Sets the number of threads that work for the calling thread.
  static func use(_ count: Int) { kernels_use_threads(Int32(clamping: count)) }

  /// Calls `body` for `0..<count` on these threads and waits for all of them.
  ///
  /// The closure is declared escaping because `withoutActuallyEscaping` embeds the length of this
  /// file's path in the program, which would then depend on the build folder.
  static func parallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    // The context outlives the call, which waits for all threads.
    var work = ParallelWork(body: body)
    unsafe withUnsafeMutablePointer(to: &work) { pointer in
      unsafe kernels_parallel(
        Int32(clamping: count),
        { context, index in
          guard let context = unsafe context else { return }
          unsafe context.assumingMemoryBound(to: ParallelWork.self).pointee.body(Int(index))
        }, unsafe pointer)
    }
  }

  /// Calls `body` for `0..<rows`, several rows of `length` elements at a time on each thread.
  static func parallel(rows: Int, length: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let step = max(1, (1 << 14) / max(1, length))
    parallel((rows + step - 1) / step) { part in
      for row in part * step..<min(rows, (part + 1) * step) { body(row) }
    }
  }
}

private struct ParallelWork {
  let body: @Sendable (Int) -> Void
}
