import Bytes
import ConversionCore
import KerasFormat

/// What no output of a model needs.
extension KerasImporter {
  /// Notes the inputs that no output needs, and refuses calls that the file does not tell apart.
  ///
  /// - Parameter needed: The calls that an output needs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a version of Keras wrote the file that may have
  ///   written the wrong call of a layer.
  mutating func checkCalls(
    of model: KerasModelRecord, path: String, needed: Set<KerasCallReference>
  ) throws(WeighbridgeError) {
    if writer.version.major >= 3 {
      for layer in model.layers where layer.calls.count > 1 {
        guard let reason = reasonForDoubt(about: layer, in: model, needed) else { continue }
        throw WeighbridgeError.unsupported(
          "is called \(layer.calls.count) times, and \(reason), so that the file does not say what the "
            + "model computes; Keras 3.3 or later writes it, if the model is created there by its own "
            + "code and its weights are loaded"
        ).at(layer: Self.label(layer, path))
      }
    }
    for input in model.inputs(outside: needed) {
      network.decide(path + input.name, "No output of the model depends on this input.")
    }
  }

  /// Why it is in doubt which calls of a layer others read; `nil` where it is not.
  private func reasonForDoubt(
    about layer: KerasLayerRecord, in model: KerasModelRecord, _ needed: Set<KerasCallReference>
  ) -> String? {
    let readCalls = Set(
      model.layers.flatMap(\.calls).flatMap(\.allInputs).filter { $0.layer == layer.name }
        .map(\.call))
    let isFirstRead = readCalls.contains(0)
    // Keras 3 writes only calls that an output needs.
    let isLost = layer.calls.indices.contains {
      !needed.contains(KerasCallReference(layer: layer.index, call: $0))
    }
    let version = writer.version
    if version < KerasVersion(3, 2), isLost || !readCalls.isEmpty && !isFirstRead {
      return "Keras 3.0 and 3.1 count its calls in other models too where layers read them"
    }
    if version >= KerasVersion(3, 2), version < KerasVersion(3, 3), isLost || isFirstRead {
      return
        "Keras 3.2.0 and 3.2.1 write that other layers read its first call, whichever they read"
    }
    return nil
  }
}
