package import Bytes
package import ConversionCore
import CoreMLConversion
import DarknetConversion
import GraphIR
import KerasConversion
import KerasFormat
import ONNXConversion
import PyTorchFormat

extension ModelReader {
  /// Returns the readable parts of a file with a model or weights that ``read(_:options:)``
  /// rejected.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - error: The error with which it was rejected.
  /// - Returns: `nil` if it is not a model, or if something other than the file causes the error.
  package static func outline(
    _ path: String, options: ReadOptions, refusedBy error: WeighbridgeError
  ) -> ModelOutline? {
    guard let location = try? ModelLocation(path) else { return nil }
    guard let store = try? SourceFile.open(location.file) else {
      return outline(ofProgram: location.file)
    }
    let path = location.path
    let format = format(of: store)
    switch error.code {
    case .unsupported, .malformed: break
    // A file missing for an ONNX model belongs to the model.
    case .missing where error.place.file == path || format == ONNXSource.self: break
    case .limitExceeded where options.inputShapes.isEmpty: break
    default: return nil
    }
    let outline =
      format?.outline(of: store, path: path, options: options)
      ?? (format == nil && options.readsFileOnly
        ? formatlessOutline(store, path: path, options: options) : nil)
    // An outline without layers and weights may still have notes: a Keras file whose layers have no
    // weights is an example.
    let mayHaveOnlyNotes =
      format == WeightSource.self
      || (format == KerasSource.self && outline?.notes.isEmpty == false)
    guard let outline,
      mayHaveOnlyNotes || !outline.layers.isEmpty || !outline.weights.isEmpty
    else { return nil }
    return outline
  }

  /// Returns the readable parts of an incomplete model: weights of darknet or a Keras
  /// architecture.
  private static func formatlessOutline(
    _ store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    if store.withBytes({ DarknetWeightsAlone.recognizes($0) }) {
      return DarknetWeightsAlone.outline(of: store)
    }
    guard store.withBytes({ KerasArchitecture.recognizes($0) }) else { return nil }
    var options = options
    options.deferredWeightLimit = LayerSurvey.weightLimit
    return (try? KerasSource(architecture: path, options: options))?.outline()
  }

  /// Returns the tensors and operators of a program of PyTorch; `nil` for another file.
  private static func outline(ofProgram path: String) -> ModelOutline? {
    guard let file = try? MappedFile(path: path) else { return nil }
    let store = ByteStore(file)
    guard let program = PyTorchProgram(store),
      !program.tensors.isEmpty || !program.operatorCounts.isEmpty
    else { return nil }
    var outline = ModelOutline(format: program.form.rawValue, byteCount: store.count)
    outline.provenance.framework = "pytorch"
    for tensor in program.tensors {
      if let type = tensor.elementType {
        outline.weights.append((tensor.name, TensorType(type, tensor.shape)))
      } else {
        outline.notes.append("\(tensor.name) \(tensor.shape) has a type that is not read")
      }
    }
    let operators = program.operatorCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !operators.isEmpty {
      outline.notes.append(
        "its code calls \(operators.map { "\($0.key) (\($0.value))" }.joined(separator: ", "))")
    }
    return outline
  }
}
