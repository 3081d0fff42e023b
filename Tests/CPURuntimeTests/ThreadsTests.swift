import Dispatch
import Synchronization
import Testing

@testable import CPURuntime

@Suite struct ThreadsTests {
  /// How often each index was worked on.
  private func counts(_ count: Int, threads: Int) -> [Int] {
    let counts = Mutex([Int](repeating: 0, count: count))
    Threads.use(threads)
    Threads.parallel(count) { index in counts.withLock { $0[index] += 1 } }
    return counts.withLock { $0 }
  }

  @Test(
    "Each index is worked on once", arguments: [1, 2, 3, 8, 300], [0, 1, 2, 7, 64, 1_000, 5_003])
  func once(threads: Int, count: Int) {
    for _ in 0..<10 { #expect(counts(count, threads: threads).allSatisfy { $0 == 1 }) }
  }

  @Test("Work within work is done by the thread that asks for it")
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
