import Bytes

extension WBMDescription {
  /// Checks the description against the graph it describes.
  func checkRules(graph: WBMGraph) throws(WeighbridgeError) {
    let outputs = graph.outputs.map(\.name)
    try Names.check(inputs.map(\.name), of: "described inputs")
    try Names.check(inputs.map(\.name), areAmong: graph.inputs.map(\.name), of: "input")
    try Names.check(self.outputs.map(\.name), of: "described outputs")
    try Names.check(self.outputs.map(\.name), areAmong: outputs, of: "output")
    try Names.check(userDefined.map(\.key), of: "user-defined keys")
    let keys = userDefined.map(\.key)
    for (first, second) in zip(keys, keys.dropFirst())
    where !first.utf8.lexicographicallyPrecedes(second.utf8) {
      throw WBMHeader.malformed("the user-defined keys \(first) and \(second) are not sorted")
    }
    for feature in inputs + self.outputs {
      guard let image = feature.image else { continue }
      guard image.bias.count == image.colorOrder.channelCount else {
        throw WBMHeader.malformed(
          "the image \(feature.name) has \(image.bias.count) biases for \(image.colorOrder.channelCount) channels"
        )
      }
    }
    try detector?.checkRules(outputs: outputs)
  }

  /// The description with its pairs sorted by key, as files have them.
  func sorted() -> Self {
    var copy = self
    copy.userDefined.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return copy
  }
}

extension WBMDetector {
  fileprivate func checkRules(outputs: [String]) throws(WeighbridgeError) {
    try Names.check(heads.map(\.output), of: "detector heads")
    try Names.check(heads.map(\.output), areAmong: outputs, of: "output")
    for head in heads {
      if let index = head.mask.first(where: { !anchors.indices.contains($0) }) {
        throw WBMHeader.malformed(
          "the detector head \(head.output) picks anchor #\(index), and there are \(anchors.count)")
      }
    }
    guard Set(activated).count == activated.count else {
      throw WBMHeader.malformed("the detector names an activated part twice")
    }
    let cells = [side, boxesPerCell]
    guard cells.allSatisfy({ kind == .detection ? 1...4096 ~= $0 : $0 == 0 }) else {
      throw WBMHeader.malformed(
        "the detector has a side of \(side) and \(boxesPerCell) boxes in a cell, which does not go "
          + "with its kind")
    }
    try checkTree()
  }

  private func checkTree() throws(WeighbridgeError) {
    guard let tree = classTree else { return }
    guard tree.parents.count == classCount else {
      throw WBMHeader.malformed(
        "the class tree has \(tree.parents.count) classes, and the detector has \(classCount)")
    }
    if let child = tree.parents.indices.first(where: { (tree.parents[$0] ?? -1) >= $0 }) {
      throw WBMHeader.malformed("the parent of class #\(child) does not stand before it")
    }
  }
}

extension WBMProvenance {
  /// Checks the provenance.
  func checkRules() throws(WeighbridgeError) {
    try Names.check(options.map(\.key), of: "options")
    for source in sources {
      guard source.sha256.count == 32 else {
        throw WBMHeader.malformed(
          "the SHA-256 of \(source.name) has \(source.sha256.count) bytes, expected 32")
      }
      guard !source.name.isEmpty, !source.name.utf8.contains(UInt8(ascii: "/")) else {
        throw WBMHeader.malformed("the source name \"\(source.name)\" is not one without a folder")
      }
    }
  }
}
