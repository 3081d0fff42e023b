import ConversionCore
import GraphIR
import TFLiteFormat

/// An operator under construction, which refers to tensors by name. An absent input has no name.
struct TFLiteNode: ExportNode {
  let builtin: TFLiteBuiltin
  /// The lowest version of the operator that has the options.
  let minimumVersion: Int
  var inputs: [String]
  var outputs: [String]
  var options: TFLiteBuiltinOptions?
  /// The condition and the body of a loop, or both branches.
  var subgraphs: [TFLiteSubgraph] = []
}

/// The operators of a graph with what they refer to.
struct TFLiteSubgraph {
  let name: String
  let builder: TFLiteBuilder
  /// The operators in their order.
  let nodes: [TFLiteNode]
  /// The names of the tensors that are inputs and outputs.
  let inputs, outputs: [String]
  /// The names that tensors had in the builder, by their names in the nodes.
  let oldNames: [String: String]

  init(
    _ name: String, _ builder: TFLiteBuilder, inputs: [String], outputs: [String],
    renaming newNames: [String: String] = [:]
  ) {
    (self.name, self.inputs, self.outputs) = (name, inputs, outputs)
    let fused = builder.nodes.needed(for: outputs, renaming: newNames)
      .fusingActivations(builder, outputs)
    let kernels = TFLiteIntegerKernels(fused, builder, outputs)
    let shared = TFLiteSharedTensors(kernels.nodes, kernels.builder, outputs)
    (self.builder, nodes) = (shared.builder, shared.nodes)
    oldNames = Dictionary(newNames.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The type of a tensor.
  func type(_ name: String) -> TensorType? {
    builder.types[oldNames[name] ?? name] ?? builder.types[name]
  }
}
