// Generated from Schemas/options.json by Scripts/options. Do not edit.

public import GraphIR

/// What is verified, and how strictly.
public struct VerifyOptions: Sendable {
  /// The original file to compare with.
  public var against: String?
  /// How the original file is read.
  public var againstOptions = ReadOptions()
  /// The allowed difference of outputs: absolute, plus relative to the largest magnitude of the
  /// expected output. By default the standard tolerance of each element type. In the program these
  /// are --atol and --rtol.
  public var tolerance: Tolerance?
  /// Whether to compare layer by layer and name the first that diverges.
  public var layers = false
  /// How the model is run; the engine is ignored, since both are compared.
  public var run = RunOptions()
  /// Arrays to compare with instead of those in the file, matched by name or by order.
  public var references: (inputs: [NamedTensor], outputs: [NamedTensor])?
  /// Inputs on which the stated error of a compacted model is measured anew, against the original.
  public var evaluationExamples: CompactOptions.Examples?

  /// Creates options with the defaults.
  public init() {}
}

/// The names of version 0.2.
extension VerifyOptions {
  /// The former name of ``layers``.
  @available(*, deprecated, renamed: "layers")
  public var checksLayers: Bool {
    get { layers }
    set { layers = newValue }
  }
}
