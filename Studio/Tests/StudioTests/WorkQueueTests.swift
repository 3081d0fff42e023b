import Dispatch
import HTTPTypes
import Studio
import Testing
import Weighbridge

@Suite struct WorkQueueTests {
  @Test func `Work is done one piece after the other, and gives its result`() async throws {
    let queue = WorkQueue("test", capacity: 4, timeLimit: .seconds(600))
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...4 {
        group.addTask { try await queue.admitting { try await queue.run { number * number } } }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 30)
  }

  @Test func `Who comes when it is full is told to come back, and may then come in`() async throws {
    let queue = WorkQueue("test", capacity: 1, timeLimit: .seconds(600))
    let (begun, mayEnd) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    let first = Task {
      try await queue.admitting {
        try await queue.run {
          begun.continuation.yield()
          mayEnd.wait()
        }
      }
    }
    for await _ in begun.stream { break }
    let error = await #expect(throws: StudioError.self) { try await queue.admitting {} }
    #expect(error?.status == .serviceUnavailable)
    #expect(error?.retryAfter == 2)
    mayEnd.signal()
    try await first.value
    #expect(try await queue.admitting { 7 } == 7)
  }

  @Test func `Work is asked to stop when its time is over, and the next one is not`() async throws {
    let late = WorkQueue("test", capacity: 1, timeLimit: .zero)
    let asked = late.cancellation
    #expect(try await late.run { asked.isCancelled })
    #expect(!asked.isCancelled)
    let early = WorkQueue("test", capacity: 1, timeLimit: .seconds(600))
    let other = early.cancellation
    #expect(try await !early.run { other.isCancelled })
  }

  @Test func `A queue that is stopped takes nobody in and stops its work`() async throws {
    let queue = WorkQueue("test", capacity: 1, timeLimit: .seconds(600))
    let asked = queue.cancellation
    queue.stop()
    #expect(asked.isCancelled)
    await #expect(throws: StudioError.self) { try await queue.admitting {} }
    await #expect(throws: StudioError.self) { try await queue.run {} }
  }

  @Test func `An error of the work is the answer's`() async {
    let queue = WorkQueue("test", capacity: 1, timeLimit: .seconds(600))
    let error = await #expect(throws: StudioError.self) {
      try await queue.run { throw StudioError(.badGateway, "short and stout") }
    }
    #expect(error?.message == "short and stout")
  }
}
