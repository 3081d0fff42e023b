package import Bytes
package import ConversionCore
import CoreMLConversion
import CoreMLFormat
import DarknetConversion
import DarknetFormat
import GraphIR
import KerasConversion
import KerasFormat
import ONNXConversion
import SafetensorsFormat

extension ModelReader {
  /// What there is to see of a file that holds a model, or weights, and that ``read(_:options:)``
  /// refused: what could be read in spite of the error.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - error: Why it was refused.
  /// - Returns: `nil` when it is no model, or what was given with it is at fault.
  package static func outline(
    _ path: String, options: ReadOptions, refusedBy error: WeighbridgeError
  ) -> ModelOutline? {
    let package = (try? CoreMLPackage(at: path)) ?? nil
    guard let store = try? SourceFile.open(package?.model ?? path) else { return nil }
    let kind: SourceFormat? = try? Self.kind(store, path)
    switch error.code {
    case .unsupported, .malformed: break
    // Of an ONNX file, what is missing is a file of its own.
    case .missing where error.place.file == path || kind == .onnx: break
    case .limitExceeded where options.inputShapes.isEmpty: break
    default: return nil
    }
    let outline = outline(of: store, kind, path: path, package: package, options: options)
    // What is not all weights may be told in notes: a Keras file of layers that have none is one too.
    let isNoted = kind == .weights || (kind == .keras && outline?.notes.isEmpty == false)
    guard let outline, isNoted || !outline.layers.isEmpty || !outline.weights.isEmpty else {
      return nil
    }
    return outline
  }

  private static func outline(
    of store: ByteStore, _ kind: SourceFormat?, path: String, package: CoreMLPackage?,
    options: ReadOptions
  ) -> ModelOutline? {
    let isAlone = options.architecture == nil && options.inputShapes.isEmpty
    switch kind {
    case .wbm: return nil
    case .weights: return isAlone ? weightOutline(store) : nil
    case .darknetWeights: return isAlone ? darknetWeightOutline(store) : nil
    case .keras: return kerasOutline(store, path: path, options: options)
    case .darknet:
      var options = options
      options.laterWeightLimit = 0  // shapes do not need the weights
      return (try? DarknetSource(store, path: path, options: options, isLookedAt: true))?.outline()
    case .coreml:
      return
        (try? CoreMLSource(
          store, path: package?.model ?? path, package: package, options: options,
          isLookedAt: true))?.outline()
    case .onnx:
      return
        (try? ONNXSource(store, path: path, options: options, isLookedAt: true))?.outline()
    case nil:
      guard isAlone, store.withBytes({ KerasArchitecture.recognizes($0) }) else { return nil }
      var options = options
      options.laterWeightLimit = LayerSurvey.weightLimit
      return (try? KerasSource(architecture: path, options: options))?.outline()
    }
  }

  private static func kerasOutline(
    _ store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    if let source = try? KerasSource(store, path: path, options: options) {
      return source.outline()
    }
    // What is given as its architecture is not this file's fault.
    guard options.architecture == nil else { return nil }
    return KerasSource.weightOutline(store, path: path)
      ?? KerasFragment(store, path: path).map {
        KerasSource.outline($0, store, path: path, options: options)
      }
  }

  /// The tensors of a safetensors file.
  private static func weightOutline(_ store: ByteStore) -> ModelOutline? {
    guard let fragment = store.withBytes({ SafetensorsFragment($0) }) else { return nil }
    var outline = ModelOutline(format: "safetensors", byteCount: store.count)
    for tensor in fragment.tensors {
      if let type = tensor.elementType {
        outline.weights.append((tensor.name, TensorType(type, tensor.shape)))
      } else {
        outline.notes.append(
          "\(tensor.name): \(tensor.word) \(tensor.shape), a type that is not read")
      }
    }
    return outline
  }

  /// The header of a darknet `.weights` file, and how many numbers stand behind it.
  private static func darknetWeightOutline(_ store: ByteStore) -> ModelOutline? {
    guard let header = try? DarknetWeightsHeader(store, fork: .alexeyab) else { return nil }
    var outline = ModelOutline(format: "darknet weights", byteCount: store.count)
    outline.provenance.framework = "darknet"
    outline.provenance.frameworkVersion = header.version
    let count = (store.count - header.byteCount) / 4
    outline.weights = [("all layers together", TensorType(.float32, [count]))]
    outline.notes = ["trained on \(header.seen) images, counting repetitions"]
    return outline
  }
}
