package import Bytes
package import ConversionCore
package import GraphIR
import LayerCatalog
import ONNXFormat

/// Writes ONNX models: channels-first internally, with the source's axis order for inputs and
/// outputs unless the options state otherwise.
package enum ONNXExporter: Exporter {
  package static let keepsEncodings = true

  package static func passes(_ options: ONNXOptions) -> [ExportPass] {
    let asked: [ExportPass?] = [
      options.batchSize.map { .fixBatch(size: $0) },
      options.withNMS == true ? .decodeBoxes(ofDetectorsOnly: false) : nil,
      options.foldBatchNorm ? .foldBatchNormalization : nil,
    ]
    let images = ExportPass.convertLayout(transposesPorts: options.layout == .nchw)
    return asked.compactMap { $0 } + [.findPixelBlocks, images]
  }

  package static func write(
    _ content: ModelContent, to path: String, options: ONNXOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let translation = try ONNXTranslation(content, options: options)
    let size = translation.weights.reduce(0) { $0 + $1.initializer.byteCount }
    // 64 MiB are left for everything but the weights.
    let isLarge = size > ONNXWriter.maximumFileSize - (64 << 20)
    var files = [path]
    var storage = ONNXWriter.Storage.embedded
    if options.externalData || isLarge {
      storage = .external(path: "\(path).data", name: "\(FilePath(path).name).data")
      files.append("\(path).data")
    }
    try writing.checkReplacing(files)
    var writer = try ONNXWriter(translation.model, to: path, storage: storage)
    try write(translation.weights, with: &writer, writing.cancellation)
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: files, losses: translation.losses)
  }

  private static func write(
    _ weights: [ONNXWeight], with writer: inout ONNXWriter, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) {
    var stream = WeightStream(cancellation)
    for weight in weights {
      try writer.beginWeight()
      for part in weight.parts {
        try stream.write(part, as: weight.initializer.elementType, named: weight.initializer.name) {
          (bytes) throws(WeighbridgeError) in
          try writer.append(bytes)
        }
      }
    }
  }
}
