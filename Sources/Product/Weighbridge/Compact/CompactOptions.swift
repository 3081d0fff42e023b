public import Bytes
public import GraphIR

/// How a model's weights are made smaller.
public struct CompactOptions: Sendable {
  /// How far the work is.
  public struct Progress: Hashable, Sendable {
    /// What is done, for example `coding weights`.
    public let step: String
    /// How much of the step is done, and how much there is.
    public let done, count: Int
  }

  /// The threads, and what may stop the work.
  public var run = RunOptions()
  /// Called after each part of the work, by the thread that does it.
  public var progress: (@Sendable (Progress) -> Void)?

  /// Nothing is lost.
  public init() {}
}
