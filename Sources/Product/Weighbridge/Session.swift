public import Bytes
import CPURuntime
public import GraphIR
public import Vision

/// A model that is prepared for repeated runs.
///
/// Everything that a run needs in addition to its inputs is kept: weights in the layout that
/// kernels prefer, and a plan with memory for the most recent input shapes. Several threads may use
/// one session at once.
///
/// ```swift
/// let model = try Model(contentsOf: "classifier.wbm")
/// let session = try model.session()
/// let outputs = try session.run(["image": tensor])
/// ```
public final class Session: Sendable {
  /// The model.
  public let model: Model
  private let options: RunOptions
  /// `nil` with the reference engine.
  private let compiled: CompiledGraph?

  init(_ model: Model, _ options: RunOptions) throws(WeighbridgeError) {
    self.model = model
    self.options = options
    try model.content.graph.checkRuns()
    compiled =
      options.engine == .cpu
      ? try CompiledGraph(model.content.graph, options.cpuOptions(observesAllNodes: false)) : nil
  }

  /// Computes the model's outputs.
  ///
  /// - Parameter inputs: One tensor for each input, by name; for the axes see ``Model/inputs``. An
  ///   input with a ``ModelDescription/Feature/defaultValue`` may be left out. Elements of another type are rounded to the input's.
  /// - Returns: One tensor for each output, by name.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an input is missing, surplus, or of another
  ///   shape, before anything is computed; ``WeighbridgeError/Code/limitExceeded``;
  ///   ``WeighbridgeError/Code/cancelled``.
  public func run(_ inputs: [String: Tensor]) throws(WeighbridgeError) -> [String: Tensor] {
    let names = Set(model.inputs.map(\.name))
    for name in inputs.keys.sorted() where !names.contains(name) {
      throw .mismatch(
        "the model has no input \(name); it has \(names.sorted().joined(separator: ", "))")
    }
    let arrays = inputs.sorted { $0.key < $1.key }.map {
      NamedTensor(name: $0.key, tensor: $0.value)
    }
    let outputs = try run(arrays).outputs
    return Dictionary(outputs.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
  }

  /// Computes the model's outputs, and returns the time of each layer with them.
  ///
  /// - Parameter arrays: See ``Model/run(_:keepsLayers:options:)``.
  public func run(_ arrays: [NamedTensor]) throws(WeighbridgeError) -> RunResult {
    let inputs = try model.inputTensors(arrays)
    guard let compiled else { return try model.run(arrays, options: options) }
    let graph = model.content.graph
    var profile: [RunResult.Layer] = []
    options.report(0, of: graph, by: options.engine.rawValue)
    let outputs = try compiled.run(inputs) { result in
      profile.append(RunResult.Layer(result.computed, nanoseconds: result.nanoseconds))
      options.report(result.position + 1, of: graph, by: options.engine.rawValue)
    }
    return RunResult(
      outputs: zip(graph.outputs, outputs).map { NamedTensor(name: $0.name, tensor: $1) },
      layers: [], profile: profile)
  }

  /// Returns the bytes that activations take for given inputs, and the peak size of all that are
  /// needed at the same time, a lower bound for any plan; `nil` where no plan is made: with the
  /// reference engine, and for models with data-dependent shapes.
  ///
  /// - Parameter arrays: See ``Model/run(_:keepsLayers:options:)``.
  public func activationMemory(
    for arrays: [NamedTensor]
  ) throws(WeighbridgeError) -> (byteCount: Int, lowerBound: Int)? {
    let inputs = try model.inputTensors(arrays)
    guard let compiled, try !compiled.hasDataDependentShapes(for: inputs.map(\.type)) else {
      return nil
    }
    let memory = try compiled.activationMemory(for: inputs.map(\.type))
    return (memory.arena, memory.lowerBound)
  }

  /// Computes the model's outputs in the engine's own memory: inputs are written where they are
  /// read, and outputs are read where they were written. Nothing is copied.
  ///
  /// - Parameters:
  ///   - shapes: The shape of each input, by name; inputs whose dimensions are all known may be
  ///     left out.
  ///   - write: Called with each input's name and its elements, row-major, to fill in.
  ///   - read: Called with each output's name, its shape and its elements, row-major.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a shape is missing or does not fit, or an
  ///   input or output is not float32; ``WeighbridgeError/Code/unsupported`` with the reference
  ///   engine.
  public func run(
    shapes: [String: [Int]] = [:],
    writing write: (_ input: String, _ elements: inout MutableSpan<Float>) -> Void,
    reading read: (_ output: String, _ shape: [Int], _ elements: Span<Float>) -> Void
  ) throws(WeighbridgeError) {
    guard let compiled else { throw .unsupported("the reference engine has no memory to share") }
    let types = model.inputs.map { port in
      shapes[port.name].map { TensorType(port.type.elementType, $0) } ?? port.type
    }
    try compiled.run(types) { position, elements in
      write(model.inputs[position].name, &elements)
    } read: { position, shape, elements in
      read(model.outputs[position].name, shape, elements)
    }
  }

  /// Returns the types of the outputs for inputs of given types, in the model's order; `nil` when
  /// they are known only after a run: with the reference engine, and for models with data-dependent
  /// shapes.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an input does not fit.
  package func outputTypes(for inputs: [TensorType]) throws(WeighbridgeError) -> [TensorType]? {
    try model.content.graph.check(inputs: inputs)
    guard let compiled, try !compiled.hasDataDependentShapes(for: inputs) else { return nil }
    return try compiled.outputTypes(for: inputs)
  }

  /// Computes the model's outputs from and into the caller's memory, without copies where the
  /// engine allows that.
  ///
  /// - Parameters:
  ///   - types: The type of each input, with known sizes, for which ``outputTypes(for:)`` is not
  ///     `nil`.
  ///   - inputs: The elements of each input, row-major; only read.
  ///   - outputs: Memory for the elements of each output, row-major.
  /// - Throws: The errors of `run(_:)`; the contents of the outputs are then
  ///   undefined.
  package func run(
    _ types: [TensorType], from inputs: [UnsafeRawPointer],
    into outputs: [UnsafeMutableRawPointer]
  ) throws(WeighbridgeError) {
    guard let compiled else { throw .unsupported("the reference engine has no memory to share") }
    try unsafe compiled.run(types, from: inputs, into: outputs)
  }

  /// Computes the model's outputs on another thread. Cancelling the task stops the run before its
  /// next layer.
  ///
  /// - Parameter inputs: See `run(_:)`.
  /// - Throws: The errors of `run(_:)`.
  public func outputs(
    for inputs: [String: Tensor]
  ) async throws(WeighbridgeError) -> [String: Tensor] {
    try await onAnotherThread { (_) throws(WeighbridgeError) in try self.run(inputs) }
  }

  /// The former name of ``outputs(for:)``.
  @available(*, deprecated, renamed: "outputs(for:)")
  public func run(_ inputs: [String: Tensor]) async throws -> [String: Tensor] {
    try await outputs(for: inputs)
  }

  /// Computes the model's outputs for images, which are converted to the inputs by the model's own
  /// preprocessing.
  ///
  /// - Parameter images: For each input, by name, the images of a batch: one or more.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model does not say how an image becomes
  ///   an input, or an input's size is not known.
  public func run(
    images: [String: [Image]]
  ) throws(WeighbridgeError) -> [String: Tensor] {
    var inputs: [String: Tensor] = [:]
    for (name, images) in images {
      inputs[name] = try model.imageTensor(name, images)
    }
    return try run(inputs)
  }
}

extension Model {
  /// Prepares the model for repeated runs.
  ///
  /// - Parameter options: The engine, threads, limits, cancellation; they apply to all runs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a layer was kept without being
  ///   understood; the error names it.
  public func session(
    _ options: RunOptions = RunOptions()
  ) throws(WeighbridgeError) -> Session {
    try Session(self, options)
  }
}
