// Generated from Schemas/options.json by Scripts/options. Do not edit.

public import GraphIR

/// How a file is written.
public struct WriteOptions: Sendable {
  /// Whether to refuse to replace existing files.
  public var noClobber = false
  /// May stop the work; nothing is left behind then.
  public var cancellation: Cancellation?

  /// Creates options with the defaults.
  public init() {}
}
