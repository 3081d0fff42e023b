import Bytes
import DetectorRecord

extension WBMDescription {
  /// Checks the description against its graph.
  func checkRules(graph: WBMGraph) throws(WeighbridgeError) {
    let outputs = graph.outputs.map(\.name)
    try Names.check(inputs.map(\.name), of: "described inputs")
    try Names.check(inputs.map(\.name), areAmong: graph.inputs.map(\.name), inOrderOf: "input")
    try Names.check(self.outputs.map(\.name), of: "described outputs")
    try Names.check(self.outputs.map(\.name), areAmong: outputs, inOrderOf: "output")
    try Names.check(userDefined.map(\.key), of: "user-defined keys")
    try Names.checkSorted(userDefined.map(\.key), of: "user-defined keys")
    for feature in inputs + self.outputs {
      guard let image = feature.image else { continue }
      guard image.bias.count == image.colorOrder.channelCount else {
        throw WBMHeader.malformed(
          "the image \(feature.name) has \(image.bias.count) biases for "
            + "\(image.colorOrder.channelCount) channels, expected as many"
        )
      }
    }
    try checkDefaults(graph: graph)
    guard let detector else { return }
    try detector.fields.checkRules(outputs: outputs)
    guard classLabels.isEmpty || classLabels.count == detector.fields.classCount ?? 0 else {
      throw WBMHeader.malformed(
        "there are \(classLabels.count) labels for \(detector.fields.classCount ?? 0) classes of the detector, "
          + "expected as many")
    }
  }

  /// Checks the defaults of inputs.
  private func checkDefaults(graph: WBMGraph) throws(WeighbridgeError) {
    for feature in inputs {
      guard let number = feature.defaultValue,
        let port = graph.inputs.first(where: { $0.name == feature.name })
      else { continue }
      let value = graph.values[port.value]
      guard value.elementType.canHold(number), value.canBeDefault else {
        throw WBMHeader.malformed(
          "the input \(feature.name) has the default \(number), which takes at most 2^26 elements "
            + "of a type that has the number, and it is \(value.elementType.rawValue) "
            + "\(value.dimensions)")
      }
    }
    if let output = outputs.first(where: { $0.defaultValue != nil }) {
      throw WBMHeader.malformed("the output \(output.name) has a default, as only inputs may")
    }
  }

  /// The description with unordered lists sorted as in a file.
  func sorted(_ graph: WBMGraph) -> Self {
    func sorted(_ features: [WBMFeature], _ ports: [WBMPort]) -> [WBMFeature] {
      features.sorted { lhs, rhs in
        let index = { name in ports.firstIndex { $0.name == name } ?? ports.count }
        return index(lhs.name) < index(rhs.name)
      }
    }
    var copy = self
    copy.inputs = sorted(inputs, graph.inputs)
    copy.outputs = sorted(outputs, graph.outputs)
    copy.userDefined = userDefined.sorted()
    return copy
  }
}

extension [WBMKeyValue] {
  /// The pairs sorted by the UTF-8 bytes of their keys.
  fileprivate func sorted() -> Self {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

extension DetectorDescription.Fields {
  fileprivate func checkRules(outputs: [String]) throws(WeighbridgeError) {
    guard boxEncoding != nil else { throw WBMHeader.malformed("the box encoding is missing") }
    let (heads, anchorCount) = (heads ?? [], anchors.count / 2)
    try Names.check(heads.map(\.output), of: "detector heads")
    for head in heads {
      guard outputs.contains(where: { $0.utf8.elementsEqual(head.output.utf8) }) else {
        throw WBMHeader.malformed(
          "the graph has no output \(head.output); it has \(outputs.joined(separator: ", "))")
      }
      if let index = head.mask.first(where: { $0 >= anchorCount }) {
        throw WBMHeader.malformed(
          "the detector head \(head.output) picks anchor #\(index), but there are \(anchorCount)")
      }
    }
    let (side, boxesPerCell) = (side ?? 0, boxesPerCell ?? 0)
    let cells = [side, boxesPerCell]
    guard cells.allSatisfy({ kind == .detection ? 1...4096 ~= $0 : $0 == 0 }) else {
      throw WBMHeader.malformed(
        "the detector has a side of \(side) and \(boxesPerCell) boxes in a cell, which does not "
          + "match its kind")
    }
    try checkTree()
  }

  private func checkTree() throws(WeighbridgeError) {
    guard let tree = classTree else { return }
    let classCount = classCount ?? 0
    guard tree.parents.count == classCount else {
      throw WBMHeader.malformed(
        "the class tree has \(tree.parents.count.counted("class")), but the detector has \(classCount)"
      )
    }
    if let child = tree.parents.indices.first(where: { (tree.parents[$0] ?? -1) >= $0 }) {
      throw WBMHeader.malformed("the parent of class #\(child) does not come before it")
    }
  }
}

extension WBMProvenance {
  /// Checks the provenance.
  func checkRules() throws(WeighbridgeError) {
    try Names.check(options.map(\.key), of: "options")
    try Names.checkSorted(options.map(\.key), of: "options")
    for source in sources {
      guard source.sha256.count == 32 else {
        throw WBMHeader.malformed(
          "the SHA-256 of \(source.name) has \(source.sha256.count) bytes, expected 32")
      }
      guard !["", ".", ".."].contains(source.name), !source.name.contains(where: "/\\".contains)
      else {
        throw WBMHeader.malformed("the source name \"\(source.name)\" is not a plain file name")
      }
    }
  }

  /// The provenance with its options sorted as in a file.
  func sorted() -> Self {
    var copy = self
    copy.options = options.sorted()
    return copy
  }
}
