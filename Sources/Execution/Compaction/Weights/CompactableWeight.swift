import Bytes
import GraphIR
import LayerCatalog

/// A weight that can be compacted, seen as a matrix with a row for each output.
struct CompactableWeight: Sendable {
  /// A source of vectors that the weight is multiplied with.
  struct Source: Sendable {
    /// The tensor that contains them.
    let value: ValueID
    let vectors: WeightProduct.Vectors
  }

  let id: ValueID
  let name: String
  let tensor: Tensor
  /// The axes of the outputs; the first consists of `groups` equal parts, each with its own
  /// vectors.
  let outputAxes: [Int]
  /// The axes along the vectors.
  let inputAxes: [Int]
  let groups: Int
  /// The observable values that the weight is multiplied with.
  var sources: [Source]

  /// The number of outputs.
  var rows: Int { outputAxes.reduce(1) { $0 * tensor.shape[$1] } }
  /// The length of the vectors.
  var columns: Int { inputAxes.reduce(1) { $0 * tensor.shape[$1] } }

  /// The elements, `[columns, rows]`.
  var transposed: [Float] { columnsByRows(tensor) }

  /// Transposes values with the axes of the tensor to `[columns, rows]`.
  func columnsByRows(_ numbers: Tensor) -> [Float] {
    numbers.permuted(inputAxes + outputAxes).floats
  }

  /// Transposes integers `[columns, rows]` to the axes of the tensor.
  func inTensorOrder(_ integers: [Int32]) -> [Int32] {
    let order = inputAxes + outputAxes
    let transposedIntegers = Tensor(
      .int32, shape: order.map { tensor.shape[$0] }, integers: integers)
    return transposedIntegers.permuted(order.indices.compactMap(order.firstIndex)).integers
  }
}

extension CompactableWeight {
  /// The minimum number of elements; smaller weights do not repay the overhead of an encoding.
  static let minimumElementCount = 256

  /// The weights of a graph that can be compacted, each once, in the order of their values.
  ///
  /// A weight that several nodes use is rounded for all of them.
  static func all(in graph: Graph) -> [CompactableWeight] {
    var found: [ValueID: CompactableWeight] = [:]
    for node in graph.nodes {
      let types = node.inputs.map { graph[$0].type }
      var products: [Int: WeightProduct] = [:]
      if let operation = node.operation as? any WeightMultiplyingOperator {
        for product in operation.weightProducts(types) { products[product.weight] = product }
      }
      for (position, id) in node.inputs.enumerated() {
        guard let tensor = graph[id].constant, isWorthwhile(tensor) else { continue }
        let product = products[position] ?? lookup(node, position, rank: tensor.shape.count)
        guard let product else { continue }
        found[id, default: CompactableWeight(id, graph[id].name, tensor, product)]
          .add(product, node)
      }
    }
    return found.values.filter { $0.tensor.isCompactable }.sorted { $0.id.index < $1.id.index }
  }

  private static func isWorthwhile(_ tensor: Tensor) -> Bool {
    tensor.elementType.isFloat && tensor.elementType != .float64 && tensor.shape.count >= 2
      && tensor.count >= minimumElementCount
  }

  /// A weight that is read rather than multiplied, such as an embedding table: its elements are
  /// rounded independently.
  private static func lookup(_ node: Node, _ position: Int, rank: Int) -> WeightProduct? {
    guard case .weight = node.operation.slot(position) else { return nil }
    return WeightProduct(
      weight: position, outputAxes: [0], inputAxes: Array(1..<rank), vectors: .hidden)
  }

  private init(_ id: ValueID, _ name: String, _ tensor: Tensor, _ product: WeightProduct) {
    (self.id, self.name, self.tensor) = (id, name, tensor)
    (outputAxes, inputAxes) = (product.outputAxes, product.inputAxes)
    if case .windows(_, _, _, let groups) = product.vectors {
      self.groups = groups
    } else {
      groups = 1
    }
    sources = []
  }

  private mutating func add(_ product: WeightProduct, _ node: Node) {
    guard product.outputAxes == outputAxes, product.inputAxes == inputAxes else { return }
    switch product.vectors {
    case .axes(let input, _) where groups == 1,
      .windows(let input, _, _, groups):
      sources.append(Source(value: node.inputs[input], vectors: product.vectors))
    default: break
    }
  }
}

extension Tensor {
  /// Whether all numbers are finite and at least one is not 0.
  var isCompactable: Bool {
    let numbers = floats
    return numbers.allSatisfy(\.isFinite) && numbers.contains { $0 != 0 }
  }
}
