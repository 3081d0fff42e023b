public import Bytes
import CPURuntime
public import GraphIR
import ReferenceRuntime

/// The engines that can run a model.
public enum Engine: String, Sendable, CaseIterable {
  /// The reference kernels, which define the correct results: in `Double`, and slow.
  case reference
  /// The fast engine: kernels optimized for the processor, and reference kernels for the rest.
  case cpu
}

extension RunOptions {
  /// Returns the engine with these options.
  ///
  /// - Parameter observesAllNodes: Whether every node's outputs are observed.
  func runtime(observesAllNodes: Bool = false) -> any Runtime {
    let runtime = plainRuntime(observesAllNodes: observesAllNodes)
    return progress == nil ? runtime : ReportingRuntime(runtime: runtime, options: self)
  }

  private func plainRuntime(observesAllNodes: Bool) -> any Runtime {
    let workers = Workers(count: threadCount)
    switch engine {
    case .reference:
      return ReferenceRuntime(
        workers: workers, cancellation: cancellation,
        memoryLimit: memoryLimit ?? ReferenceRuntime.defaultMemoryLimit)
    case .cpu:
      return CPURuntime(cpuOptions(observesAllNodes: observesAllNodes))
    }
  }

  /// Returns the options of the CPU engine.
  func cpuOptions(observesAllNodes: Bool) -> CPURuntime.Options {
    CPURuntime.Options(
      workers: Workers(count: threadCount), observesAllNodes: observesAllNodes,
      observesIntegers: observesIntegers, cancellation: cancellation, memoryLimit: memoryLimit)
  }

  /// The number of threads that will be used.
  public var threadCount: Int { threads ?? Workers.processorCount }
}

/// The result of a run.
public struct RunResult: Sendable {
  /// A layer that was run.
  public struct Layer: Sendable {
    private let computed: ComputedNode
    /// The time that it took, in nanoseconds.
    public let nanoseconds: UInt64

    init(_ computed: ComputedNode, nanoseconds: UInt64) {
      self.computed = computed
      self.nanoseconds = nanoseconds
    }

    /// The layer's name: `outer/inner/layer`, with `:1` for a second call.
    public var name: String { computed.node.name }

    /// The operator, for example `convolution`.
    public var kind: String { computed.node.operation.kind }

    /// The kind of kernel that computed it.
    public var kernel: KernelKind { computed.kernel }

    /// The names of earlier layers that were fused with it.
    public var fused: [String] { computed.fusedNames }
  }

  /// One array for each output, in the model's order.
  public var outputs: [NamedTensor]
  /// One array for each layer, under its name, if requested.
  public var layers: [NamedTensor]
  /// The nodes in the order in which they ran.
  public var profile: [Layer]
}

extension Model {
  /// Computes the model's outputs.
  ///
  /// - Parameters:
  ///   - arrays: One for each input, matched by name, or by order when no name matches; for the
  ///     axes see ``inputs``. An input with a ``ModelDescription/Feature/defaultValue`` may be left
  ///     out. Elements of another type are rounded to the input's.
  ///   - keepsLayers: Whether the output of every layer is returned too, which takes memory.
  ///   - options: Threads, limits, cancellation.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an array does not fit,
  ///   ``WeighbridgeError/Code/unsupported`` when a layer was kept without being understood,
  ///   ``WeighbridgeError/Code/limitExceeded``, ``WeighbridgeError/Code/cancelled``.
  public func run(
    _ arrays: [NamedTensor], keepsLayers: Bool = false, options: RunOptions = RunOptions()
  ) throws(WeighbridgeError) -> RunResult {
    try content.graph.checkRuns()
    let inputs = try inputTensors(arrays)
    let layerNodes = content.graph.layerNodes
    var layers: [NamedTensor] = []
    var profile: [RunResult.Layer] = []
    let outputs = try options.runtime(observesAllNodes: keepsLayers)
      .run(content.graph, inputs: inputs) { result in
        profile.append(RunResult.Layer(result.computed, nanoseconds: result.nanoseconds))
        guard keepsLayers, let name = layerNodes[result.position] else { return }
        for (number, tensor) in result.outputs.enumerated() {
          let arrayName = number == 0 ? name : "\(name).\(number)"
          layers.append(NamedTensor(name: arrayName, tensor: tensor.contiguous()))
        }
      }
    return RunResult(
      outputs: zip(content.graph.outputs, outputs).map {
        NamedTensor(name: $0.name, tensor: $1)
      }, layers: layers, profile: profile)
  }

  /// The arrays of the inputs that a run may leave out, by name.
  package var defaultInputs: [String: Tensor] { content.defaultInputs }

  /// Returns the arrays in the order of the inputs and in their element types.
  func inputTensors(_ arrays: [NamedTensor]) throws(WeighbridgeError) -> [Tensor] {
    let matched = try ArrayMatching(arrays, to: inputs, defaults: defaultInputs, what: "input")
      .matched
    var tensors: [Tensor] = []
    for (port, tensor) in zip(inputs, matched) {
      tensors.append(try tensor.converted(to: port.type.elementType, for: port.name))
    }
    try content.graph.check(inputs: tensors)
    return tensors
  }
}
