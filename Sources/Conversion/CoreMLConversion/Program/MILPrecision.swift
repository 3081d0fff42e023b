import Bytes
import CPURuntime
import ConversionCore
import GraphIR
import LayerCatalog

/// What is computed in float32 although a program computes in float16.
struct MILPrecision {
  /// The positions of the nodes for which float16 is too coarse.
  private(set) var nodes: Set<Int> = []
  /// The positions of the nodes whose results may be beyond float16.
  private(set) var large: Set<Int> = []
  /// The positions of the nodes that give such numbers if they take some.
  private(set) var keeping: Set<Int> = []
  /// The calls of layers that give or take numbers beyond float16, as in ``SourceScope/callName``.
  private(set) var layers: Set<String> = []

  /// No exceptions.
  init() {}

  /// - Parameters:
  ///   - graph: The graph that is written.
  ///   - content: The model that it was made of; without references, no layers are found.
  init(
    _ graph: Graph, _ content: ModelContent, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) {
    findSensitive(graph)
    layers = try Self.layersOfLarge(content, cancellation)
  }
}

// Where rounding to 11 bits would show.
extension MILPrecision {
  /// The nodes that jump (comparisons, whole numbers, indices) or amplify what their inputs are
  /// rounded by, with everything that these are computed of up to products with weights, whose results
  /// are approximate in any type, or with these too where their last digits decide; and what is computed
  /// of whole numbers.
  private mutating func findSensitive(_ graph: Graph) {
    // Whole numbers, what is made of them, and what must not be rounded unless it is a product.
    var (whole, sums, needed) = (Set<ValueID>(), Set<ValueID>(), Set<ValueID>())
    // What must not be rounded even if it is one.
    var neededProducts: Set<ValueID> = []
    let sensitivities = graph.nodes.map { MILSensitivity(of: $0, in: graph) }
    for (position, node) in graph.nodes.enumerated() {
      guard let sensitivity = sensitivities[position] else { continue }
      let takesWhole =
        (sensitivity.keeps || sensitivity.isProduct) && !whole.isDisjoint(with: node.inputs)
      let takesSums = sensitivity.keeps && !sums.isDisjoint(with: node.inputs)
      if sensitivity.givesWhole || takesWhole && !sensitivity.isProduct && !sensitivity.divides {
        whole.formUnion(node.outputs)
      } else if takesWhole || takesSums {
        sums.formUnion(node.outputs)
      }
      if sensitivity.isWide { nodes.insert(position) }
      if sensitivity.mayGiveLarge { large.insert(position) }
      if sensitivity.keeps { keeping.insert(position) }
    }
    let exact = whole.union(sums)
    for (position, node) in graph.nodes.enumerated().reversed() {
      guard let sensitivity = sensitivities[position] else { continue }
      if let index = sensitivity.indexInput { needed.insert(node.inputs[index]) }
      let decides =
        sensitivity.decidesByProducts || !neededProducts.isDisjoint(with: node.outputs)
      guard
        decides || !exact.isDisjoint(with: node.outputs)
          || !sensitivity.isProduct
            && (sensitivity.jumps || !needed.isDisjoint(with: node.outputs))
      else { continue }
      nodes.insert(position)
      needed.formUnion(node.inputs)
      if decides { neededProducts.formUnion(node.inputs) }
    }
  }

  /// The layers whose numbers are beyond float16 when the model's references are computed.
  private static func layersOfLarge(
    _ content: ModelContent, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) -> Set<String> {
    let graph = content.graph
    let runtime = CPURuntime(
      CPURuntime.Options(
        workers: Workers(count: Workers.processorCount), observesAllNodes: true,
        cancellation: cancellation))
    var large: Set<ValueID> = []
    for reference in content.references {
      let inputs = graph.inputs.compactMap { port in
        reference.inputs.first { $0.name == port.name }?.tensor
      }
      guard inputs.count == graph.inputs.count else { continue }
      for (port, tensor) in zip(graph.inputs, inputs) where isLarge(tensor) {
        large.insert(port.value)
      }
      _ = try runtime.run(graph, inputs: inputs) { result in
        for (id, output) in zip(result.node.outputs, result.outputs) where isLarge(output) {
          large.insert(id)
        }
      }
    }
    return Set(
      graph.nodes.filter { !large.isDisjoint(with: $0.inputs + $0.outputs) }
        .map(\.source.callName))
  }

  /// Whether a number is finite and too large for float16.
  private static func isLarge(_ tensor: Tensor) -> Bool {
    // Numbers from here on are rounded to infinity.
    tensor.elementType.isFloat && !tensor.isWithin(65_520)
  }
}
