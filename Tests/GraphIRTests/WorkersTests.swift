import GraphIR
import Synchronization
import Testing

/// Work that several threads share.
@Suite struct WorkersTests {
  private struct Stop: Error {}

  @Test("Results are handed over in order, one for each number", arguments: [1, 2, 5, 40])
  func order(threads: Int) {
    var handed: [[Int]] = []
    Workers(count: threads).forEach(100, computing: { $0 * $0 }, then: { handed.append([$0, $1]) })
    #expect(handed == (0..<100).map { [$0, $0 * $0] })
    Workers(count: threads).forEach(0, computing: { $0 }, then: { _, _ in Issue.record("nothing") })
  }

  @Test("After an error nothing more is begun than what was in work", arguments: [1, 2, 5])
  func error(threads: Int) {
    let begunCount = Atomic(0)
    #expect(throws: Stop.self) {
      try Workers(count: threads).forEach(10_000) { _ in
        begunCount.add(1, ordering: .relaxed)
      } then: { position, _ in
        if position == 7 { throw Stop() }
      }
    }
    // Eight were taken; two for each thread may have been ready.
    #expect((8...8 + 2 * threads).contains(begunCount.load(ordering: .relaxed)))
  }

  @Test("No more results wait than two for each thread")
  func bound() {
    let made = Atomic(0)
    let taken = Atomic(0)
    Workers(count: 3).forEach(1000) { _ in
      let ahead = made.add(1, ordering: .relaxed).newValue - taken.load(ordering: .relaxed)
      #expect(ahead <= 2 * 3 + 1)  // the one that is being taken has not been counted yet
    } then: { _, _ in
      taken.add(1, ordering: .relaxed)
    }
  }
}
