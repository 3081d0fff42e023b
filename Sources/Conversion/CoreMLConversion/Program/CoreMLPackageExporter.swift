package import Bytes
package import ConversionCore
import CoreMLFormat
package import GraphIR

/// Writes Core ML packages: ML Programs, and for detectors a pipeline of one with non-maximum
/// suppression. Images are channels-first, one at a time.
package enum CoreMLPackageExporter: Exporter {
  package static let keepsEncodings = true

  package static func passes(_ options: CoreMLPackageOptions) -> [ExportPass] {
    sharedPasses(withNMS: options.withNMS, foldBatchNorm: options.foldBatchNorm)
  }

  /// The passes that both formats of Core ML have.
  static func sharedPasses(withNMS: Bool?, foldBatchNorm: Bool) -> [ExportPass] {
    var passes: [ExportPass] = []
    if withNMS ?? true { passes.append(.decodeBoxes(ofDetectorsOnly: withNMS == nil)) }
    if foldBatchNorm { passes.append(.foldBatchNormalization) }
    return passes + [
      .findPixelBlocks, .convertLayout(transposesPorts: true), .takeSingleExample,
      .dropUnitAxes(maximumRank: 4, startsWithOne: false),
    ]
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
