package import Bytes
import CKernels
package import GraphIR

/// Runs graphs with optimized kernels, and with reference kernels for the remaining operators.
///
/// Results agree with the reference runtime's within the operators' tolerances, and are bitwise
/// reproducible whatever the number of threads. Subnormal numbers are not flushed to zero.
///
/// Tensors of float16 and bfloat16 are held as float32, computed by the same kernels, and rounded
/// to their type after every node as the reference runtime does. Tensors of float64 are computed in
/// `Double`: by this engine's kernels for elementwise and lanewise operators, else by the reference
/// kernels.
package struct CPURuntime: Runtime {
  package let name = "cpu"
  private let options: Options

  /// How a graph is run.
  package struct Options: Sendable {
    /// The threads to use.
    package var workers: Workers
    /// Whether every node's outputs can be observed; otherwise only those that exist once nodes
    /// have been fused.
    package var observesAllNodes: Bool
    /// Whether the outputs of each group of nodes can be observed even if only 8-bit integers or
    /// bfloat16 are needed by later nodes.
    package var observesIntegers: Bool
    /// Checked before each step.
    package var cancellation: Cancellation?
    /// The memory limit for activations in bytes; 64 GiB when `nil`.
    package var memoryLimit: Int?

    /// Creates options.
    package init(
      workers: Workers, observesAllNodes: Bool = false, observesIntegers: Bool = false,
      cancellation: Cancellation? = nil, memoryLimit: Int? = nil
    ) {
      self.workers = workers
      self.observesAllNodes = observesAllNodes
      self.observesIntegers = observesIntegers
      self.cancellation = cancellation
      self.memoryLimit = memoryLimit
    }
  }

  /// The memory limit for activations if the caller sets none: 64 GiB.
  static let defaultMemoryLimit = 64 << 30

  /// Whether portable kernels are used because the processor lacks the instructions of the fast
  /// ones.
  package static var usesPortableKernels: Bool { kernels_are_portable() }

  /// Creates a runtime.
  package init(_ options: Options) { self.options = options }

  package func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    try CompiledGraph(graph, options).run(inputs, observe: observe)
  }
}
