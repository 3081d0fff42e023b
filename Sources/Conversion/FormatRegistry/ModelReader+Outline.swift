package import Bytes
package import ConversionCore
import CoreMLConversion
import DarknetConversion
import KerasConversion
import KerasFormat
import ONNXConversion

extension ModelReader {
  /// What there is to see of a file that holds a model, or weights, and that ``read(_:options:)``
  /// refused.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - error: Why it was refused.
  /// - Returns: `nil` when it is no model, or what was given with it is at fault.
  package static func outline(
    _ path: String, options: ReadOptions, refusedBy error: WeighbridgeError
  ) -> ModelOutline? {
    let isMissing = error.code == .missing && error.place.file == path
    guard isMissing || error.code == .unsupported || error.code == .malformed,
      let store = try? SourceFile.open(path), let kind = try? kind(store, path)
    else { return nil }
    switch kind {
    case .wbm, .weights, .darknetWeights: return nil
    case .keras:
      guard let source = try? KerasSource(store, path: path, options: options) else {
        // What is given as its architecture is not this file's fault.
        return options.architecture == nil ? KerasSource.weightOutline(store, path: path) : nil
      }
      return source.outline()
    case .darknet:
      var options = options
      options.laterWeightLimit = 0  // shapes do not need the weights
      return (try? DarknetSource(store, path: path, options: options))?.outline()
    case .coreml: return (try? CoreMLSource(store, path: path, options: options))?.outline()
    case .onnx: return ONNXSource.outline(store, path: path, options: options)
    }
  }
}
