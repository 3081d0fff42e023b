package import Bytes
package import ConversionCore
package import GraphIR
import NCNNFormat

/// Writes a `.param` file and a `.bin` file next to it: channels first, without a batch axis.
package enum NCNNExporter: Exporter {
  package static let keepsEncodings = false

  package static func passes(_ options: NCNNOptions) -> [ExportPass] {
    // ncnn's own layer decodes boxes. Arrays without a batch, as those of Core ML, are its own.
    var passes: [ExportPass] = options.withNMS ?? false ? [.removeHeadActivations] : []
    passes.append(.addBatch(ranks: 1...NCNNBuilder.maximumRank))
    if options.foldBatchNorm { passes.append(.foldBatchNormalization) }
    return passes + [
      .findPixelBlocks, .convertLayout(transposesPorts: true), .takeSingleExample,
      .dropUnitAxes(maximumRank: NCNNBuilder.maximumRank, startsWithOne: true),
    ]
  }

  package static func write(
    _ content: ModelContent, to path: String, options: NCNNOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let translation = try NCNNTranslation(content, options: options)
    let weightsPath = FilePath(path).replacingExtension("bin")
    guard weightsPath != path else {
      throw .outputFailed("is the name of the weights that go next to the .param").at(file: path)
    }
    try writing.checkReplacing([path, weightsPath])
    var writer = try NCNNWriter(
      NCNNModel(layers: translation.layers), to: path, weights: weightsPath)
    var stream = WeightStream(writing.cancellation)
    for layer in translation.layers {
      for weight in translation.weights[layer.name] ?? [] {
        let encoding = try writer.beginWeight(isHalf: options.precision == .float16)
        try stream.write(
          weight, as: encoding == .float16 ? .float16 : .float32, named: layer.name
        ) { (bytes) throws(WeighbridgeError) in try writer.append(bytes) }
      }
    }
    try writer.commit(replacing: !writing.noClobber)
    return ExportReport(files: [path, weightsPath], losses: translation.losses)
  }
}
