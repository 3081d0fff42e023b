import Bytes

extension ExportOptions {
  /// Refuses what is said and means nothing in a target.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch``.
  func check(for target: ExportTarget) throws(WeighbridgeError) {
    let networks: Set<ExportTarget> = [.coreml, .ncnn, .onnx]
    let said: [(name: String, isSaid: Bool, targets: Set<ExportTarget>)] = [
      ("the opset", opset != nil, [.onnx]),
      ("the order of the axes", layout != .source, [.onnx]),
      ("weights in a file of their own", storesWeightsBeside, [.onnx]),
      ("the number type of the weights", precision != .float32, networks),
      ("non-maximum suppression", suppressesBoxes == true, networks),
      ("folding batch normalisations", foldsBatchNormalization, networks),
      ("the specification version", specificationVersion != nil, [.coreml]),
      ("the kind of a Core ML model", coreMLKind != nil, [.coreml]),
      ("a choice of image sizes", !imageSizes.isEmpty, [.coreml]),
    ]
    for option in said where option.isSaid && !option.targets.contains(target) {
      throw WeighbridgeError(
        .mismatch, "\(option.name) means nothing in the format \(target.rawValue)")
    }
  }
}
