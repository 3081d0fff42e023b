package import Bytes
import CKernels
package import GraphIR

/// Computes graphs fast, with kernels for what the processor can do, and reference kernels for the rest.
///
/// The results lie within the operators' tolerances of the reference runtime's; two runs give the same
/// bits, whatever the number of threads. Numbers too small for a normal float32 are computed
/// with, not taken for zero.
///
/// Tensors of float16 and bfloat16 are held as float32, computed by the same kernels, and rounded to
/// their type behind every node as the reference runtime does. Tensors of float64 are computed in
/// `Double`: by kernels of ours where elements or lanes are by themselves, else by the reference
/// kernels.
package struct CPURuntime: Runtime {
  package let name = "cpu"
  private let options: Options

  /// How a graph is run.
  package struct Options: Sendable {
    /// The threads to use.
    package var workers: Workers
    /// Whether every node's outputs can be observed; otherwise only those that exist once nodes have
    /// been fused.
    package var observesAllNodes: Bool
    /// Whether what each group of nodes made can be observed also where 8-bit integers or bfloat16 are enough
    /// for what follows.
    package var observesIntegers: Bool
    /// Looked at before each step.
    package var cancellation: Cancellation?
    /// The most bytes that the activations may take at once; 64 GiB when `nil`.
    package var memoryLimit: Int?

    /// Makes options.
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

  /// The most bytes that activations may take at once when the caller sets no limit: 64 GiB.
  static let defaultMemoryLimit = 64 << 30

  /// Whether the processor lacks the instructions that fast kernels are written for, so that kernels
  /// for every processor compute.
  package static var usesPortableKernels: Bool { kernels_are_portable() }

  /// A runtime with given options.
  package init(_ options: Options) { self.options = options }

  package func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    try CompiledGraph(graph, options).run(inputs, observe: observe)
  }
}
