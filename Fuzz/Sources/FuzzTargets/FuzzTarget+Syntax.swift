import Bytes
import CoreMLFormat
import DarknetFormat
import GraphIR
import HDF5File
import JSON
import KerasFormat
import NCNNFormat
import NumPyFormat
import ONNXFormat
import PyTorchFormat
import SafetensorsFormat
import TFLiteFormat
import Vision
import WBMFormat
import YAML
import ZipArchive

/// The syntax readers, from bytes to plain records.
extension FuzzTarget {
  package static let syntax: [FuzzTarget] =
    [
      hdf5, kerasSyntax, kerasArchitecture, darknetSyntax, zip, arrays, safetensors, pytorch,
      onnxSyntax,
      coremlSyntax, tfliteSyntax, wbmSyntax, json, yaml, image, ncnn,
    ] + tensorFlow

  /// Every object, attribute and dataset of an HDF5 file. Checksums are repaired, so that the data
  /// behind them is reached.
  static let hdf5 = FuzzTarget("hdf5", [".h5"], sizeLimit: 120_000) { bytes in
    var limits = HDF5File.Limits()
    limits.datasetByteCount = 1 << 22
    var bytes = bytes
    let errors = ChecksumRepair.repair(&bytes, atMost: 3) {
      FullReading.errors($0, limits: limits)
    }
    if let first = errors.first { throw first }
  }

  static let kerasSyntax = FuzzTarget("keras-file", [".h5", ".keras"], sizeLimit: 120_000) {
    let file = try KerasFile(ByteStore($0), path: "changed.h5")
    for group in file.weightGroups {
      for weight in group.weights { _ = try file.bytes(of: weight) }
    }
  }

  /// The output of `to_json` and `to_yaml`.
  static let kerasArchitecture = FuzzTarget("keras-json", [".json", ".yaml"]) { bytes in
    _ = try ScratchFile.with(bytes, ending: ".json") { try KerasArchitecture.read(path: $0) }
  }

  /// Bytes that are read both as a network and as a tree of classes.
  static let darknetSyntax = FuzzTarget("cfg", [".cfg", ".tree"]) { bytes in
    let tree = try? DarknetTree(ByteStore(bytes))
    do {
      let configuration = try DarknetConfiguration(bytes: bytes)
      _ = configuration.sections.map { ($0.option("size"), DarknetNumber.double($0.name)) }
    } catch { if tree == nil { throw error } }
  }

  static let zip = FuzzTarget("zip", [".keras", ".npz", ".zip"]) { bytes in
    let store = ByteStore(bytes)
    var memory = 1 << 24
    let directory = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try ZipDirectory(bytes, memberLimit: 1000)
    }
    for member in directory.members {
      _ = try ZipReader.contents(of: member, in: store, memory: &memory)
    }
  }

  static let arrays = FuzzTarget("numpy", [".npy", ".npz"]) { bytes in
    var limits = NumPyLimits()
    limits.memory = 1 << 24
    _ = try NumPyFile.read(ByteStore(bytes), limits: limits)
  }

  static let safetensors = FuzzTarget("safetensors", [".safetensors"]) { bytes in
    _ = try SafetensorsFile(bytes.span.bytes)
  }

  /// Pickles, which are read as data, with the tensors that they name, and archives with code.
  static let pytorch = FuzzTarget("pytorch", [".pt", ".pt2", ".pth"]) { bytes in
    _ = PyTorchProgram(ByteStore(bytes))
    _ = try PyTorchFile(ByteStore(bytes))
  }

  static let onnxSyntax = FuzzTarget("onnx-file", [".onnx"]) { bytes in
    if let file = ONNXFile(fragmentOf: ByteStore(bytes)) { _ = file.fragment() }
    _ = try ONNXFile(ByteStore(bytes)).model()
  }

  static let coremlSyntax = FuzzTarget("coreml-file", [".mlmodel"]) { bytes in
    _ = try CoreMLReader.read(bytes.span.bytes)
  }

  static let tfliteSyntax = FuzzTarget("tflite-file", [".tflite"]) { bytes in
    _ = try TFLiteFile(ByteStore(bytes))
  }

  static let wbmSyntax = FuzzTarget("wbm-file", [".wbm"]) { bytes in
    try WBMFile(ByteStore(bytes), path: "changed.wbm").checkIntegrity()
  }

  static let json = FuzzTarget("json", [".json"]) { bytes in
    _ = try JSONValue(parsing: bytes).text(indented: true)
  }

  static let yaml = FuzzTarget("yaml", [".yaml", ".yml"]) { bytes in
    _ = try JSONValue(yaml: bytes)
  }

  /// An image, which is then resized to a model's input by each policy, and by a method that
  /// depends on the length of the file.
  static let image = FuzzTarget("image", [".jpg", ".png"]) { bytes in
    let image = try Image(file: bytes, limits: ImageLimits(pixelCount: 1 << 20))
    let resampling = Resampling.allCases[bytes.count % Resampling.allCases.count]
    let isGray = bytes.count / Resampling.allCases.count % 2 == 1
    let input = ImageInput(
      colorOrder: isGray ? .gray : .bgr, scale: 1, bias: isGray ? [0] : [0, 0, 0], resize: nil,
      layout: isGray ? .channelsFirst : .channelsLast)
    for policy in ImageInput.ResizePolicy.allCases {
      _ = try image.tensor(
        for: input, width: 33, height: 17, policy: policy, resampling: resampling)
    }
  }

  /// The text of a `.param` file, a zero byte, and the weights.
  static let ncnn = FuzzTarget("ncnn", [], made: [ncnnSample]) { bytes in
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let model = try NCNNModel(Array(parts[0]))
    _ = try NCNNFile(model, weights: Array(parts.dropFirst().first ?? []).span.bytes)
  }

  /// A convolution of 1 x 1, from 3 channels to 2.
  private static let ncnnSample =
    Array(
      """
      7767517
      3 3
      Input data 0 1 data 0=4 1=4 2=3
      Convolution conv 1 1 data conv 0=2 1=1 5=1 6=6
      ReLU relu 1 1 conv relu

      """.utf8) + [UInt8](repeating: 0, count: 1 + 4 + 4 * 6 + 4 * 2)
}
