import GraphIR
import Synchronization
import Testing

/// Work that several threads share.
@Suite struct WorkersTests {
  private struct Stop: Error {}

  @Test("Results are delivered in order, one for each index", arguments: [1, 2, 5, 40])
  func order(threads: Int) {
    var received: [[Int]] = []
    Workers(count: threads).forEach(
      100, computing: { $0 * $0 }, then: { received.append([$0, $1]) })
    #expect(received == (0..<100).map { [$0, $0 * $0] })
    Workers(count: threads).forEach(0, computing: { $0 }, then: { _, _ in Issue.record("nothing") })
  }

  @Test("After an error no further work is started", arguments: [1, 2, 5])
  func error(threads: Int) {
    let startedCount = Atomic(0)
    #expect(throws: Stop.self) {
      try Workers(count: threads).forEach(10_000) { _ in
        startedCount.add(1, ordering: .relaxed)
      } then: { position, _ in
        if position == 7 { throw Stop() }
      }
    }
    // Eight were taken; two for each thread may have been ready.
    #expect((8...8 + 2 * threads).contains(startedCount.load(ordering: .relaxed)))
  }

  @Test("At most two results per thread wait")
  func bound() {
    let computedCount = Atomic(0)
    let takenCount = Atomic(0)
    Workers(count: 3).forEach(1000) { _ in
      let ahead =
        computedCount.add(1, ordering: .relaxed).newValue - takenCount.load(ordering: .relaxed)
      #expect(ahead <= 2 * 3 + 1)  // the one that is being taken has not been counted yet
    } then: { _, _ in
      takenCount.add(1, ordering: .relaxed)
    }
  }
}
