package import Bytes
package import ConversionCore
package import GraphIR
import KerasFormat

/// Writes models as layers models of TensorFlow.js, in a folder.
package enum TensorFlowJSExporter: Exporter {
  package static let keepsEncodings = false

  package static func write(
    _ content: ModelContent, to path: String, options: TensorFlowJSOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let translation = try KerasTranslation(content, format: .tensorFlowJS)
    let modelPath = try modelPath(path)
    let elements = translation.elements
    var writer = try TensorFlowJSWriter(translation.model, to: modelPath) { weight in
      elements[weight.layer].map { storage(of: $0[weight.index], options.quantization) } ?? .plain
    }
    var stream = WeightStream(writing.cancellation)
    for weight in writer.weights {
      guard let tensor = elements[weight.layer]?[weight.index] else { continue }
      switch storage(of: tensor, options.quantization) {
      case .plain:
        try stream.write(tensor) { (bytes) throws(WeighbridgeError) in try writer.append(bytes) }
      case .float16:
        let name = "\(weight.layer)/\(weight.index)"
        try stream.write(tensor, as: .float16, named: name) { (bytes) throws(WeighbridgeError) in
          try writer.append(bytes)
        }
      case .uint8(let scale, let minimum):
        let integers = tensor.doubles.map {
          UInt8(min(max((($0 - minimum) / scale).rounded(), 0), 255))
        }
        try unsafe writer.append(integers.span.bytes)
      }
    }
    let files = try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: files, losses: translation.losses)
  }

  /// The path of the `model.json`: a path that ends in `.json`, or in a folder, which is made.
  private static func modelPath(_ path: String) throws(WeighbridgeError) -> String {
    if path.hasSuffix(".json") { return path }
    try makeFolder(path)
    return path.hasSuffix("/") ? path + "model.json" : path + "/model.json"
  }

  /// How a weight is stored. With 8 bits, the smallest and the largest element and 0 keep their
  /// values up to half a step.
  private static func storage(
    of tensor: Tensor, _ quantization: TensorFlowJSQuantization?
  ) -> TensorFlowJSStorage {
    guard tensor.elementType == .float32, let quantization, tensor.count > 0 else { return .plain }
    guard quantization == .uint8 else { return .float16 }
    let elements = tensor.doubles
    guard elements.allSatisfy(\.isFinite) else { return .plain }
    let (low, high) = (min(0, elements.min() ?? 0), max(0, elements.max() ?? 0))
    guard high > low else { return .plain }
    let scale = (high - low) / 255
    return .uint8(scale: scale, minimum: -(-low / scale).rounded() * scale)
  }
}
