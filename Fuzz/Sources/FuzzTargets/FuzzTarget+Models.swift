import Bytes
import ConversionCore
import FormatRegistry
import Weighbridge
import _CatalogTesting

/// The targets that turn files into graphs.
extension FuzzTarget {
  /// All targets.
  package static let all: [FuzzTarget] =
    syntax + packages + [
      encodings, keras, darknet, darknetWeights, onnx, coreml, tflite, frozenGraph, wbm,
      metadata, customLayers, graph,
    ]

  static let keras = FuzzTarget("keras", [".h5", ".keras"], sizeLimit: 120_000) { bytes in
    try model(bytes, ending: ".h5")
  }

  /// Networks without weights.
  static let darknet = FuzzTarget("darknet", [".cfg"]) { bytes in
    var options = ReadOptions()
    options.deferredWeightLimit = 1 << 24
    try ScratchFile.with(bytes, ending: ".cfg") { path in
      _ = try ModelReader.read(path, options: options)
    }
  }

  /// The weights of a small network.
  static let darknetWeights = FuzzTarget("weights", [".weights"], made: weightsSamples) {
    bytes in
    let configuration = """
      [net]
      width=4
      height=4
      channels=1
      [convolutional]
      batch_normalize=1
      filters=2
      size=3
      pad=1
      activation=leaky
      [connected]
      output=2
      activation=linear
      """
    try ScratchFile.with(Array(configuration.utf8), ending: ".cfg") { path in
      try ScratchFile.with(bytes, ending: ".weights") { weights in
        var options = ReadOptions()
        options.weights = weights
        _ = try ModelReader.read(path, options: options)
      }
    }
  }

  /// Weights from darknet versions 0.1 and 0.2, whose headers differ in size: 8 values of the
  /// normalization and 9 of each kernel, 2 biases and 2 x 32 weights of the dense layer.
  private static let weightsSamples = [(minor: UInt8(1), headerSize: 16), (2, 20)].map {
    let numbers = [UInt8](repeating: 0x3F, count: 4 * (8 + 2 * 9 + 2 + 2 * 32))
    let padding = [UInt8](repeating: 0, count: $0.headerSize - 5)
    return [0, 0, 0, 0, $0.minor] + padding + numbers
  }

  static let onnx = FuzzTarget("onnx", [".onnx"]) { bytes in try model(bytes, ending: ".onnx") }

  /// Also files of one layer each, in which layers and ranks meet that no converter combines.
  static let coreml = FuzzTarget(
    "coreml", [".mlmodel"], made: CoreMLLayerFile.seeds.map(\.bytes)
  ) { bytes in try model(bytes, ending: ".mlmodel") }

  static let tflite = FuzzTarget("tflite", [".tflite"]) { bytes in
    try model(bytes, ending: ".tflite")
  }

  static let frozenGraph = FuzzTarget("frozen-graph", [".pb"]) { bytes in
    try model(bytes, ending: ".pb")
  }

  static let wbm = FuzzTarget("wbm", [".wbm"]) { bytes in try model(bytes, ending: ".wbm") }

  private static func model(_ bytes: [UInt8], ending: String) throws {
    try ScratchFile.with(bytes, ending: ending) { try readModel($0) }
  }

  /// Reads the model at a path like `convert`, and like `inspect` if it cannot be converted.
  static func readModel(_ path: String) throws {
    do { _ = try ModelReader.read(path) } catch {
      _ = try Inspection(of: path)
      throw error
    }
  }
}
