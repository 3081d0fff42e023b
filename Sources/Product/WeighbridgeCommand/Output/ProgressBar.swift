import ConversionCore

/// A progress bar, shown only on a terminal.
struct ProgressBar {
  private let count: Int
  private let isShown: Bool

  /// - Parameters:
  ///   - count: The number of steps; a single step is not shown.
  ///   - isQuiet: Whether the user wants only results.
  init(count: Int, isQuiet: Bool) {
    self.count = count
    isShown = count > 1 && !isQuiet && Console.messagesGoToTerminal
  }

  /// Shows the number of completed steps and the next one.
  func show(_ done: Int, _ next: String) {
    guard isShown else { return }
    let width = 24
    let full = done * width / count
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
    Console.terminal("\r[\(bar)] \(done)/\(count) \(FilePath(next).name.prefix(40))\u{1B}[K")
  }

  /// Removes the bar, so that a line can be printed.
  func clear() {
    if isShown { Console.terminal("\r\u{1B}[K") }
  }
}
