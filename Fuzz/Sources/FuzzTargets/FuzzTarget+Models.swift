import Bytes
import ConversionCore
import FormatRegistry
import JSON
import KerasConversion
import Weighbridge

/// What makes graphs of files, and what users write beside them.
extension FuzzTarget {
  /// All targets.
  package static let all: [FuzzTarget] =
    syntax + [
      encodings, keras, darknet, darknetWeights, onnx, coreml, wbm, metadata, customLayers, graph,
    ]

  static let keras = FuzzTarget("keras", [".h5", ".keras"], sizeLimit: 120_000) { bytes in
    try model(bytes, ending: ".h5")
  }

  static let darknet = FuzzTarget("darknet", [".cfg"]) { bytes in
    var options = ReadOptions()
    options.randomSeed = 1
    try ScratchFile.with(bytes, ending: ".cfg") { path in
      _ = try ModelReader.read(path, options: options)
    }
  }

  /// Weights of a small network.
  static let darknetWeights = FuzzTarget("weights", [".weights"]) { bytes in
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

  static let onnx = FuzzTarget("onnx", [".onnx"]) { bytes in try model(bytes, ending: ".onnx") }

  static let coreml = FuzzTarget("coreml", [".mlmodel"]) { bytes in
    try model(bytes, ending: ".mlmodel")
  }

  static let wbm = FuzzTarget("wbm", [".wbm"]) { bytes in try model(bytes, ending: ".wbm") }

  static let metadata = FuzzTarget("metadata", [".json"]) { bytes in
    _ = try DescriptionEdit(metadata: try JSONValue(parsing: bytes))
  }

  static let customLayers = FuzzTarget("custom-layers", [".json"]) { bytes in
    _ = try CustomLayers(contentsOf: ByteStore(bytes), path: "custom.json")
  }

  /// Any model file: what `convert` reads, and what `inspect` sees of one that cannot be converted.
  private static func model(_ bytes: [UInt8], ending: String) throws {
    try ScratchFile.with(bytes, ending: ending) { path in
      do { _ = try ModelReader.read(path) } catch {
        _ = try Inspection(of: path)
        throw error
      }
    }
  }
}
