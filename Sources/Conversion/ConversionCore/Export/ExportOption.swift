package import Bytes

/// An option of an export that does not apply to every format.
package enum ExportOption: String, CaseIterable, Sendable {
  case darknetFork = "the fork of darknet"
  case opset = "the opset"
  case layout = "the order of the axes"
  case externalWeights = "weights in a file of their own"
  case precision = "the number type of the weights"
  case suppression = "non-maximum suppression"
  case folding = "folding batch normalizations"
  case integers = "keeping integers as they are"
  case specificationVersion = "the specification version"
  case coreMLKind = "the kind of a Core ML model"
  case imageSizes = "a choice of image sizes"
}

extension ExportOptions {
  /// Refuses options that do not apply to a format.
  ///
  /// - Parameters:
  ///   - options: The options that apply to the format.
  ///   - format: The name of the format.
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which names the first such option.
  package func check(
    taking options: Set<ExportOption>, format: String
  ) throws(WeighbridgeError) {
    guard let inapplicable = given.first(where: { !options.contains($0) }) else { return }
    throw .mismatch("\(inapplicable.rawValue) does not apply to the format \(format)")
  }

  /// Refuses files that exist already, unless they may be replaced.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, which names the first of them.
  package func checkReplacing(_ files: [String]) throws(WeighbridgeError) {
    for file in isReplacing ? [] : files where exists(file) {
      throw .outputFailed("exists already").at(file: file)
    }
  }

  /// The options that are given.
  private var given: [ExportOption] {
    ExportOption.allCases.filter { option in
      switch option {
      case .darknetFork: darknetFork != nil
      case .opset: opset != nil
      case .layout: layout != .source
      case .externalWeights: storesExternalWeights
      case .precision: precision != .float32
      case .suppression: suppressesBoxes == true
      case .folding: foldsBatchNormalization
      case .integers: keepsIntegers
      case .specificationVersion: specificationVersion != nil
      case .coreMLKind: coreMLKind != nil
      case .imageSizes: !imageSizes.isEmpty
      }
    }
  }
}
