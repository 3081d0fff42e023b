package import Bytes
package import ConversionCore
package import GraphIR
import SafetensorsFormat

/// Writes a `.py` file with a module, and a `.safetensors` file beside it with the module's state.
package enum PyTorchExporter: Exporter {
  package static let keepsEncodings = false

  package static func passes(_ options: PyTorchOptions) -> [ExportPass] {
    (options.foldBatchNorm ? [.foldBatchNormalization] : [])
      + [.convertLayout(transposesPorts: options.layout == .nchw)]
  }

  package static func write(
    _ content: ModelContent, to path: String, options: PyTorchOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let weightsPath = FilePath(path).replacingExtension("safetensors")
    guard weightsPath != path else {
      throw .outputFailed("is the name of the weights that go next to the .py").at(file: path)
    }
    try writing.checkReplacing([path, weightsPath])
    let translation = try PyTorchTranslation(
      content, options: options, weightsName: FilePath(weightsPath).name)
    var module = try AtomicFile(path: path)
    let text = Array(translation.text.utf8)
    try unsafe module.append(text.span.bytes)
    try writeWeights(
      translation.weights, content, to: weightsPath, options.precision, writing)
    try module.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path, weightsPath], losses: translation.losses)
  }

  /// Writes the state, tensors of larger elements first, so that all are aligned.
  private static func writeWeights(
    _ weights: [PythonMember.Weight], _ content: ModelContent, to path: String,
    _ precision: ExportPrecision, _ writing: WriteOptions
  ) throws(WeighbridgeError) {
    let entries = weights.enumerated().map { position, weight in
      (position, weight.tensor, entry(weight, precision))
    }.sorted { first, second in
      let sizes = (first.2.elementType.byteCount, second.2.elementType.byteCount)
      return sizes.0 == sizes.1 ? first.0 < second.0 : sizes.0 > sizes.1
    }
    var writer = try SafetensorsWriter(
      path: path, entries: entries.map { $0.2 },
      metadata: [("format", "pt")]
        + DescriptionEntries.entries(content.description, content.provenance, .safetensors))
    var stream = WeightStream(writing.cancellation)
    for (_, tensor, entry) in entries {
      try stream.write(tensor, as: entry.elementType, named: entry.name) {
        (bytes) throws(WeighbridgeError) in try writer.append(bytes)
      }
    }
    try writer.commit(replacing: !writing.noClobber)
  }

  /// Vectors are biases and the statistics of normalizations: they keep their precision, and so do
  /// constants of the computation.
  private static func entry(
    _ weight: PythonMember.Weight, _ precision: ExportPrecision
  ) -> SafetensorsWriter.Entry {
    let tensor = weight.tensor
    let isMatrix = weight.isTrained && tensor.shape.count { $0 > 1 } > 1
    let isHalf = precision == .float16 && tensor.elementType == .float32 && isMatrix
    return SafetensorsWriter.Entry(
      name: weight.name, elementType: isHalf ? .float16 : tensor.elementType, shape: tensor.shape)
  }
}
