import COneDNN

/// The library of compute kernels, as a whole.
enum OneDNN {
  /// Why the library cannot be used; `nil` when it can. Looking for the first time loads it.
  static let absence: String? = onednn_load().map { String(cString: $0) }

  /// Lets so many threads work for the calling thread, on what it makes and runs from now on.
  static func useThreads(_ count: Int) {
    // Before the library is there, it would not keep the number.
    guard absence == nil else { return }
    onednn_set_threads(Int32(clamping: count))
  }

  /// Calls `body` for `0..<count` on the library's threads and waits for all of them.
  static func parallel(_ count: Int, _ body: @Sendable (Int) -> Void) {
    // The context outlives the call, which waits for all threads.
    withoutActuallyEscaping(body) { body in
      var work = ParallelWork(body: body)
      withUnsafeMutablePointer(to: &work) { pointer in
        onednn_parallel(
          Int32(clamping: count),
          { context, index in
            guard let context else { return }
            context.assumingMemoryBound(to: ParallelWork.self).pointee.body(Int(index))
          }, pointer)
      }
    }
  }

  /// Calls `body` for `0..<rows`, several rows of `length` elements at a time on each thread.
  static func parallel(rows: Int, length: Int, _ body: @Sendable (Int) -> Void) {
    let step = max(1, (1 << 14) / max(1, length))
    parallel((rows + step - 1) / step) { part in
      for row in part * step..<min(rows, (part + 1) * step) { body(row) }
    }
  }
}

private struct ParallelWork {
  let body: @Sendable (Int) -> Void
}
