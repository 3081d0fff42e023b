package import Bytes
package import ConversionCore
import CoreMLFormat
package import GraphIR

/// Writes Core ML packages: ML Programs, and for detectors a pipeline of one with non-maximum
/// suppression. Images are channels-first, one at a time.
package enum CoreMLPackageExporter: Exporter {
  package static let keepsEncodings = true

  package static func passes(_ options: CoreMLPackageOptions) -> [ExportPass] {
    (options.withNMS ?? true ? [.decodeBoxes(ofDetectorsOnly: options.withNMS == nil)] : [])
      + (options.foldBatchNorm ? [.foldBatchNormalization] : [])
      + [.findPixelBlocks, .convertLayout(transposesPorts: true), .takeSingleExample]
  }

  package static func write(
    _ content: ModelContent, to path: String, options: CoreMLPackageOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let translation = try MILTranslation(content, options: options, writing.cancellation)
    try writing.checkReplacing([path])
    var writer = try CoreMLPackageWriter(translation.layout.places, to: path)
    var stream = WeightStream(writing.cancellation)
    for blob in translation.layout.blobs {
      try writer.beginBlob()
      try stream.write(blob.tensor, as: blob.type, named: blob.name) {
        (bytes) throws(WeighbridgeError) in try writer.append(bytes)
      }
    }
    try writer.commit(translation.model, replacing: !writing.noClobber)
    return ExportReport(files: [path], losses: translation.losses)
  }
}
