import Synchronization
import Weighbridge

/// A progress bar for runs that may take long: the layer that is being computed, shown on a terminal
/// a few times a second.
final class RunProgressBar: Sendable {
  private let lastTime: Mutex<ContinuousClock.Instant>

  /// - Returns: `nil` if the messages do not go to a terminal, or the user wants only results.
  init?(isQuiet: Bool) {
    guard !isQuiet, Console.messagesGoToTerminal else { return nil }
    lastTime = Mutex(.now)
  }

  /// Shows the layer that an engine begins to compute. The last one removes the bar.
  @Sendable func show(_ progress: RunProgress) {
    let bar = ProgressBar(count: progress.count, isQuiet: false)
    guard progress.number < progress.count else { return bar.clear() }
    let isDue = lastTime.withLock { last in
      guard .now - last > .milliseconds(100) else { return false }
      last = .now
      return true
    }
    if isDue { bar.show(progress.number - 1, progress.layer) }
  }
}
