package import Bytes
package import ConversionCore
package import GraphIR
import TFLiteFormat

/// Writes a `.tflite` file: channels last, with built-in operators only.
package enum TFLiteExporter: Exporter {
  package static let keepsEncodings = true
  package static let keepsIntegerLayers = true

  package static func passes(_ options: TFLiteOptions) -> [ExportPass] {
    let asked: [ExportPass?] = [
      options.batchSize.map { .fixBatch(size: $0) },
      options.withNMS == true ? .decodeBoxes(ofDetectorsOnly: false) : nil,
      options.foldBatchNorm ? .foldBatchNormalization : nil,
    ]
    return asked.compactMap { $0 } + [.convertLayout(transposesPorts: true)]
  }

  package static func write(
    _ content: ModelContent, to path: String, options: TFLiteOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    try writing.checkReplacing([path])
    let translation = try TFLiteTranslation(content, options: options)
    var writer = try TFLiteWriter(translation.model, to: path)
    var stream = WeightStream(writing.cancellation)
    for weight in translation.weights {
      try writer.beginWeight(byteCount: weight.tensor.count * weight.type.byteCount)
      try stream.write(weight.tensor, as: weight.type, named: weight.name) {
        (bytes) throws(WeighbridgeError) in try writer.append(bytes)
      }
    }
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path], losses: translation.losses)
  }
}
