package import Bytes

extension WBMHeader {
  /// Checks the rules between the header's parts that hold for every operator.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for the first broken rule,
  ///   ``WeighbridgeError/Code/limitExceeded`` for subgraphs nested too deeply.
  package func checkRules() throws(WeighbridgeError) {
    try Names.check(tensors.map(\.name), of: "tensors")
    guard !graph.outputs.isEmpty else { throw Self.malformed("the model has no output") }
    var tensorReferences = TensorReferences(tensors)
    try graph.checkRules(&tensorReferences, level: 1)
    for (index, set) in references.enumerated() {
      do { try set.checkRules(&tensorReferences, graph) } catch {
        throw Self.malformed("reference set #\(index): \(error.reason)")
      }
    }
    try tensorReferences.finish()
    try description.checkRules(graph: graph)
    try provenance.checkRules()
    try compaction?.checkRules(self)
    try quantization?.checkRules(graph)
  }

  /// The header with unordered lists sorted as in a file.
  func sorted() -> Self {
    var copy = self
    copy.graph = graph.sorted()
    copy.description = description.sorted(graph)
    copy.provenance = provenance.sorted()
    return copy
  }
}

extension WBMGraph {
  fileprivate func sorted() -> Self {
    var copy = self
    for index in nodes.indices {
      copy.nodes[index].attributes.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      copy.nodes[index].subgraphs = nodes[index].subgraphs.map { $0.sorted() }
    }
    return copy
  }
}

/// Checks that constants and references refer to the tensors of a file in the order of the table.
struct TensorReferences {
  private let tensors: [WBMTensor]
  /// The number of tensors that have been referred to.
  private var count = 0

  init(_ tensors: [WBMTensor]) { self.tensors = tensors }

  /// Records a reference to a tensor, and returns the tensor.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not exist, or one before it has not
  ///   been referred to yet.
  mutating func refer(to index: Int, by user: String) throws(WeighbridgeError) -> WBMTensor {
    guard tensors.indices.contains(index) else {
      throw WBMHeader.malformed(
        "\(user) is tensor #\(index), but there are \(tensors.count)")
    }
    guard index <= count else {
      throw WBMHeader.malformed(
        "\(user) is \(tensors[index].title(index)), which must come after the first use of "
          + tensors[count].title(count))
    }
    count = max(count, index + 1)
    return tensors[index]
  }

  /// Checks that every tensor was referred to.
  func finish() throws(WeighbridgeError) {
    guard count == tensors.count else {
      throw WBMHeader.malformed(
        "\(tensors[count].title(count)) is used by no value and no reference")
    }
  }
}
