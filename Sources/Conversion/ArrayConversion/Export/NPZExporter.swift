package import Bytes
package import ConversionCore
package import GraphIR
import LayerCatalog
import NumPyFormat

/// Writes the weights as NumPy arrays, with the names of the graph and the axis order of the
/// catalog.
package enum NPZExporter: Exporter {
  package static let keepsEncodings = true
  package static let keepsDefaults = true

  package static func write(
    _ content: ModelContent, to path: String, options: ArrayOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let exported = ExportedArrays(content.graph, keepsIntegers: options.keepIntegers)
    let weights = exported.arrays
    try WeightLosses.check(weights.count)
    var writer = try NPZWriter(path: path, names: weights.map(\.name))
    var stream = WeightStream(writing.cancellation)
    for weight in weights {
      try writer.begin(weight.name, weight.tensor.elementType, shape: weight.tensor.shape)
      try stream.write(weight.tensor) { (bytes) throws(WeighbridgeError) in
        try writer.append(bytes)
      }
      try writer.end()
    }
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path], losses: losses(content) + exported.losses)
  }

  private static func losses(_ content: ModelContent) -> [String] {
    var lines = WeightLosses.lines
    let names = ModelDescription(
      inputs: content.graph.inputs.map { .init(name: $0.name) },
      outputs: content.graph.outputs.map { .init(name: $0.name) })
    var description = content.description
    description.name = nil
    if description != names { lines.append("the description is not in the file") }
    if content.graph.weights.contains(where: { $0.tensor.elementType == .bfloat16 }) {
      lines.append("bfloat16 is written as float32, which NumPy has")
    }
    return lines
  }
}
