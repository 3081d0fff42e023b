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
