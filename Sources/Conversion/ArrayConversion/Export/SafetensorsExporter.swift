package import Bytes
package import ConversionCore
package import GraphIR
import LayerCatalog
import SafetensorsFormat

/// Writes the weights with the names of the graph and the axis order of the catalog, and the
/// description in `__metadata__`.
package enum SafetensorsExporter: Exporter {
  package static let keepsEncodings = true
  package static let keepsDefaults = true

  /// The framework whose axis order the tensors have; other readers expect this entry.
  private static let layout = (key: "format", value: "pt")

  package static func write(
    _ content: ModelContent, to path: String, options: ArrayOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    // Larger element types come first, as in the format's own writer, so that all are aligned.
    let exported = ExportedArrays(content.graph, keepsIntegers: options.keepIntegers)
    let weights = exported.arrays.enumerated().sorted { lhs, rhs in
      let sizes = (
        lhs.element.tensor.elementType.byteCount, rhs.element.tensor.elementType.byteCount
      )
      return sizes.0 == sizes.1 ? lhs.offset < rhs.offset : sizes.0 > sizes.1
    }.map(\.element)
    try WeightLosses.check(weights.count)
    var writer = try SafetensorsWriter(
      path: path,
      entries: weights.map {
        .init(name: $0.name, elementType: $0.tensor.elementType, shape: $0.tensor.shape)
      },
      metadata: [layout]
        + DescriptionEntries.entries(content.description, content.provenance, .safetensors))
    var stream = WeightStream(writing.cancellation)
    for weight in weights {
      try stream.write(weight.tensor) { (bytes) throws(WeighbridgeError) in
        try writer.append(bytes)
      }
    }
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path], losses: WeightLosses.lines + exported.losses)
  }
}

/// What is lost in a file that has only the weights.
enum WeightLosses {
  /// Refuses to write a file without weights.
  static func check(_ count: Int) throws(WeighbridgeError) {
    guard count > 0 else { throw .unsupported("the model has no weights") }
  }

  static let lines = [
    "the file has the weights only: to read it, give a model with the layers by \(APIName.architecture)"
  ]
}
