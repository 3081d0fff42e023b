package import Bytes

extension WBMHeader {
  /// Checks the rules between the header's parts that hold for every operator.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for the first rule that is broken,
  ///   ``WeighbridgeError/Code/limitExceeded`` for subgraphs nested too deep.
  package func checkRules() throws(WeighbridgeError) {
    try Names.check(tensors.map(\.name), of: "tensors")
    var isUsed = [Bool](repeating: false, count: tensors.count)
    try graph.checkRules(tensors: tensors, isUsed: &isUsed, level: 1)
    for (index, set) in references.enumerated() {
      do { try checkReferences(set, isUsed: &isUsed) } catch {
        throw Self.malformed("reference set #\(index): \(error.reason)")
      }
    }
    if let index = isUsed.firstIndex(of: false) {
      throw Self.malformed("\(tensors[index].title(index)) is used by no value and no reference")
    }
    try description.checkRules(graph: graph)
    try provenance.checkRules()
  }

  private func checkReferences(
    _ set: WBMReferenceSet, isUsed: inout [Bool]
  ) throws(WeighbridgeError) {
    try Names.check(set.inputs.map(\.name), of: "inputs")
    try Names.check(set.outputs.map(\.name), of: "outputs")
    try Names.check(set.layerOutputs.map(\.name), of: "layer outputs")
    try Names.check(set.inputs.map(\.name), areAmong: graph.inputs.map(\.name), of: "input")
    try Names.check(set.outputs.map(\.name), areAmong: graph.outputs.map(\.name), of: "output")
    for array in set.inputs + set.outputs + set.layerOutputs {
      guard tensors.indices.contains(array.tensor) else {
        throw Self.malformed(
          "\(array.name) is tensor #\(array.tensor), and there are \(tensors.count)")
      }
      isUsed[array.tensor] = true
    }
  }
}

/// Checks of lists of names.
enum Names {
  /// Checks that no name is empty or stands twice.
  static func check(_ names: [String], of what: String) throws(WeighbridgeError) {
    // Texts that differ also differ in their bytes.
    if Set(names).count == names.count, !names.contains("") { return }
    var seen: Set<[UInt8]> = []
    for name in names {
      // By their bytes: Swift takes different spellings of an accent for equal.
      let isNew = seen.insert(Array(name.utf8)).inserted
      guard isNew, !name.isEmpty else {
        throw WBMHeader.malformed(
          name.isEmpty ? "one of the \(what) has no name" : "two of the \(what) are named \(name)")
      }
    }
  }

  /// Checks that every name is one of those that exist.
  static func check(
    _ names: [String], areAmong known: [String], of what: String
  ) throws(WeighbridgeError) {
    for name in names where !known.contains(name) {
      throw WBMHeader.malformed(
        "the graph has no \(what) \(name); it has \(known.joined(separator: ", "))")
    }
  }
}
