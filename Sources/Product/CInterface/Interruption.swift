import CWeighbridge
import Synchronization
import Weighbridge

/// The sources that can stop a call: a request, or the caller's function.
final class Interruption: Sendable {
  private let isRequested = Atomic(false)
  private let lastPoll: Mutex<ContinuousClock.Instant>
  private let function: weighbridge_interrupt?
  // The caller guarantees that the function may be called by any thread, one at a time.
  private nonisolated(unsafe) let context: UnsafeMutableRawPointer?

  /// The shortest interval between calls of the caller's function.
  private static let interval = Duration.milliseconds(10)

  init(_ function: weighbridge_interrupt? = nil, _ context: UnsafeMutableRawPointer? = nil) {
    self.function = function
    self.context = context
    lastPoll = Mutex(.now)
  }

  /// The cancellation to pass to the library.
  var cancellation: Cancellation { Cancellation { self.shouldStop } }

  /// Requests a stop.
  func request() { isRequested.store(true, ordering: .relaxed) }

  /// Clears earlier requests.
  func reset() { isRequested.store(false, ordering: .relaxed) }

  private var shouldStop: Bool {
    if isRequested.load(ordering: .relaxed) { return true }
    guard let function else { return false }
    let isInterrupted = lastPoll.withLockIfAvailable { last in
      guard .now - last >= Self.interval else { return false }
      defer { last = .now }
      return function(context) != 0
    }
    guard isInterrupted == true else { return false }
    request()
    return true
  }
}
