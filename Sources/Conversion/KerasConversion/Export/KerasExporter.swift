package import Bytes
package import ConversionCore
package import GraphIR
import KerasFormat
import LayerCatalog

/// Writes models as `.keras` archives of Keras 3.
package enum KerasArchiveExporter: Exporter {
  package static let options: Set<ExportOption> = []
  package static let keepsEncodings = false

  package static func write(
    _ content: ModelContent, to path: String, options: ExportOptions, cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport {
    try KerasTranslation(content, form: .archive).write(.archive, to: path, options, cancellation)
  }
}

/// Writes models as `.h5` files of Keras 2.15.
package enum KerasHDF5Exporter: Exporter {
  package static let options: Set<ExportOption> = []
  package static let keepsEncodings = false

  package static func write(
    _ content: ModelContent, to path: String, options: ExportOptions, cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport {
    try KerasTranslation(content, form: .hdf5).write(.hdf5, to: path, options, cancellation)
  }
}

extension KerasTranslation {
  fileprivate func write(
    _ form: KerasForm, to path: String, _ options: ExportOptions, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport {
    var writer = try KerasFileWriter(model, as: form, to: path)
    var stream = WeightStream(cancellation)
    for weight in writer.weights {
      try writer.beginWeight()
      guard let tensor = elements[weight.layer]?[weight.index] else { continue }
      try stream.write(tensor) { (bytes) throws(WeighbridgeError) in try writer.append(bytes) }
    }
    try writer.commit(replacing: options.isReplacing)
    return ExportReport(files: [path], losses: losses)
  }
}
