// Generated from Schemas/options.json by Scripts/options. Do not edit.

public import GraphIR

/// How a model is run.
public struct RunOptions: Sendable {
  /// The engine: cpu, the default, or reference, which is slow and defines the correct results.
  public var engine = Engine.cpu
  /// How many threads work at once; by default one for each processor. Results do not depend on it.
  public var threads: Int?
  /// The most bytes that activations may take at once; by default 64 GiB.
  public var memoryLimit: Int?
  /// May stop the work between layers.
  public var cancellation: Cancellation?
  /// Called before each layer is computed, on the thread that runs the model.
  public var progress: (@Sendable (RunProgress) -> Void)?
  /// Whether the outputs of layers can be observed even if only their 8-bit integers or bfloat16
  /// elements are needed next.
  var observesIntegers: Bool = false

  /// Creates options with the defaults.
  public init() {}
}
