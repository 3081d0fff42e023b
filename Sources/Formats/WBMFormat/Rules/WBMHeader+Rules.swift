package import Bytes

extension WBMHeader {
  /// Checks the rules between the header's parts that hold for every operator.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for the first broken rule,
  ///   ``WeighbridgeError/Code/limitExceeded`` for subgraphs nested too deeply.
  package func checkRules() throws(WeighbridgeError) {
    try Names.check(tensors.map(\.name), of: "tensors")
    guard !graph.outputs.isEmpty else { throw Self.malformed("the model has no output") }
    var naming = TensorNaming(tensors)
    try graph.checkRules(&naming, level: 1)
    for (index, set) in references.enumerated() {
      do { try set.checkRules(&naming, graph) } catch {
        throw Self.malformed("reference set #\(index): \(error.reason)")
      }
    }
    try naming.finish()
    try description.checkRules(graph: graph)
    try provenance.checkRules()
    try compaction?.checkRules(self)
    try quantization?.checkRules(graph)
  }

  /// The header with unordered lists sorted as in files.
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
struct TensorNaming {
  private let tensors: [WBMTensor]
  private var named = 0

  init(_ tensors: [WBMTensor]) { self.tensors = tensors }

  /// Records a reference to a tensor, and returns the tensor.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not exist, or one before it has not
  ///   been referred to yet.
  mutating func name(_ position: Int, by what: String) throws(WeighbridgeError) -> WBMTensor {
    guard tensors.indices.contains(position) else {
      throw WBMHeader.malformed(
        "\(what) is tensor #\(position), and there are \(tensors.count)")
    }
    guard position <= named else {
      throw WBMHeader.malformed(
        "\(what) is \(tensors[position].title(position)), and must stand behind the first use of "
          + tensors[named].title(named))
    }
    named = max(named, position + 1)
    return tensors[position]
  }

  /// Checks that every tensor was referred to.
  func finish() throws(WeighbridgeError) {
    guard named == tensors.count else {
      throw WBMHeader.malformed(
        "\(tensors[named].title(named)) is used by no value and no reference")
    }
  }
}
