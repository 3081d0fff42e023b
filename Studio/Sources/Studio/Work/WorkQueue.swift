import Dispatch
import HTTPTypes
import Hummingbird
import Synchronization
package import Weighbridge

/// Work that is done one piece after the other. Models use all processors for one piece, so two at once
/// would only take twice the memory.
///
/// At most `capacity` requests are admitted; others are told to come back. A piece of work that takes too
/// long is asked to stop.
package final class WorkQueue: Sendable {
  private struct State {
    var admittedCount = 0
    var deadline: ContinuousClock.Instant?
    var isStopped = false
  }

  private let capacity: Int
  private let timeLimit: Duration
  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - name: What debuggers call it.
  ///   - capacity: How many requests are inside at once, with the one that is worked on.
  ///   - timeLimit: How long a piece of work may take.
  package init(_ name: String, capacity: Int, timeLimit: Duration) {
    (self.capacity, self.timeLimit) = (capacity, timeLimit)
    queue = DispatchQueue(label: name, qos: .userInitiated)
  }

  /// Stops the piece in work once its time is over, or when the queue is stopped. For the options of what
  /// works in this queue.
  package var cancellation: Cancellation {
    Cancellation { [weak self] in self?.isOver ?? true }
  }

  private var isOver: Bool {
    state.withLock { $0.isStopped || $0.deadline.map { $0 <= .now } == true }
  }

  /// Does all that a request takes, its upload included, if there is room for it.
  ///
  /// - Throws: ``StudioError`` with the status 503 when there is none; what `body` throws.
  package func admitting<Result>(_ body: () async throws -> Result) async throws -> Result {
    let isAdmitted = state.withLock { state in
      guard state.admittedCount < capacity, !state.isStopped else { return false }
      state.admittedCount += 1
      return true
    }
    guard isAdmitted else {
      throw StudioError(
        .serviceUnavailable, "There is too much to do at the moment; try again.", retryAfter: 2)
    }
    defer { state.withLock { $0.admittedCount -= 1 } }
    return try await body()
  }

  /// Does a piece of work when it is its turn, on a thread that may wait.
  package func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Swift.Result { try self.timed(work) })
      }
    }
  }

  private func timed<Result>(_ work: () throws -> Result) throws -> Result {
    let isStopped = state.withLock { state in
      state.deadline = .now + timeLimit
      return state.isStopped
    }
    defer { state.withLock { $0.deadline = nil } }
    guard !isStopped else { throw StudioError(.serviceUnavailable, "The studio is being closed.") }
    return try work()
  }

  /// Stops the piece in work and refuses others.
  package func stop() { state.withLock { $0.isStopped = true } }
}
