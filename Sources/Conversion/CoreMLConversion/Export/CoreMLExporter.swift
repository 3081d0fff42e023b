package import Bytes
package import ConversionCore
import CoreMLFormat
package import GraphIR
import LayerCatalog
import ProtobufWire

/// Writes Core ML models: neural networks, and for detectors a pipeline of one with non-maximum
/// suppression. Images are channels-first, one at a time.
package enum CoreMLExporter: Exporter {
  package static let keepsEncodings = true
  package static let keepsDefaults = true

  package static func passes(_ options: CoreMLOptions) -> [ExportPass] {
    // An array of three axes may be an image without a batch, and Core ML has at most five axes.
    [.addBatch(ranks: 3...3)]
      + CoreMLPackageExporter.sharedPasses(
        withNMS: options.withNMS, foldBatchNorm: options.foldBatchNorm)
  }

  package static func write(
    _ content: ModelContent, to path: String, options: CoreMLOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let translation = try CoreMLTranslation(content, options: options)
    try writing.checkReplacing([path])
    var writer = try CoreMLWriter(translation.model, to: path)
    var stream = WeightStream(writing.cancellation)
    while let byteRange = try writer.nextByteRange() {
      let weight = translation.weights[byteRange.offset]
      try stream.write(weight.tensor, as: weight.storedType, named: weight.name) {
        (bytes) throws(WeighbridgeError) in
        try writer.append(bytes)
      }
    }
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path], losses: translation.losses)
  }
}
