import Dispatch
import Synchronization
import Testing

@testable import CPURuntime

@Suite struct ThreadsTests {
  /// How often each index was worked on. Nothing but the work itself orders the accesses, so that
  /// ThreadSanitizer sees whether all of it has ended when the caller goes on.
  private func counts(_ count: Int, threads: Int) -> [Int] {
    let counts = UnsafeMutableBufferPointer<Int>.allocate(capacity: count)
    defer { counts.deallocate() }
    counts.initialize(repeating: 0)
    nonisolated(unsafe) let shared = counts  // each index has an element of its own
    Threads.use(threads)
    Threads.parallel(count) { shared[$0] += 1 }
    return Array(counts)
  }

  @Test(
    "Each index is processed exactly once", arguments: [1, 2, 3, 8, 300],
    [0, 1, 2, 7, 64, 1_000, 5_003])
  func once(threads: Int, count: Int) {
    for _ in 0..<10 { #expect(counts(count, threads: threads).allSatisfy { $0 == 1 }) }
  }

  @Test("Nested work is done by the thread that asks for it")
  func nested() {
    let sum = Mutex(0)
    Threads.use(4)
    Threads.parallel(20) { _ in
      Threads.parallel(30) { index in sum.withLock { $0 += index } }
    }
    #expect(sum.withLock { $0 } == 20 * 435)
  }

  @Test("Several callers at once get all of their work done")
  func callers() {
    let wrong = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { caller in
      for round in 0..<100
      where counts(50 + caller + round, threads: 3).contains(where: { $0 != 1 }) {
        wrong.withLock { $0 += 1 }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }
}
