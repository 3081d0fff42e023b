package import Bytes

/// A format that models are read from.
package enum SourceFormat: Sendable {
  case wbm, keras, darknet, darknetWeights, coreml, onnx, weights
}

extension SourceFormat {
  /// The options that a model of the format takes.
  fileprivate var options: Set<APIName> {
    switch self {
    case .wbm: []
    case .keras:
      [
        .architecture, .kerasVersion, .kerasBackend, .inputShapes, .startsAtTokens, .customLayers,
        .keepsUnknown,
      ]
    case .darknet: [.weights, .darknetFork, .darknetData, .randomSeed, .isStrict]
    case .coreml: [.customLayers, .keepsUnknown]
    case .onnx: [.fixedInputs]
    // They depend on the architecture, and are judged when that is read; darknet's weights have none.
    case .weights, .darknetWeights: Set(APIName.allCases)
    }
  }
}

extension ReadOptions {
  /// Refuses what means nothing for the files that are read with these options.
  ///
  /// - Parameter kinds: The files' formats; what one of them takes is not refused.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` that names every such option.
  package func check(for kinds: SourceFormat...) throws(WeighbridgeError) {
    let taken = kinds.reduce(into: tolerated) { $0.formUnion($1.options) }
    let surplus = given.filter { !taken.contains($0) }.map(\.description)
    guard let last = surplus.last else { return }
    let first = surplus.dropLast().joined(separator: ", ")
    let names = first.isEmpty ? "\(last) does" : "\(first) and \(last) do"
    let files = kinds.map(\.name).joined(separator: " and ")
    throw WeighbridgeError(
      .mismatch, "\(kinds.count == 1 ? "is" : "the models are") \(files): \(names) not apply")
  }
}

extension SourceFormat {
  /// What a file of the format is, with its article.
  fileprivate var name: String {
    switch self {
    case .wbm: "a .wbm file"
    case .keras: "a Keras file"
    case .darknet: "a darknet .cfg"
    case .darknetWeights: "a darknet .weights file"
    case .coreml: "a Core ML model"
    case .onnx: "an ONNX file"
    case .weights: "a file of weights"
    }
  }
}
