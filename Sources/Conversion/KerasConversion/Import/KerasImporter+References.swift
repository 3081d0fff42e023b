import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension KerasImporter {
  /// The values that references to layers' outputs refer to.
  static func values(
    of references: [KerasTensorReference], _ model: KerasModelRecord,
    _ values: [CallKey: [ValueID]]
  ) throws(WeighbridgeError) -> [ValueID] {
    try references.map { (reference) throws(WeighbridgeError) in
      try value(reference, model, values)
    }
  }

  private static func value(
    _ reference: KerasTensorReference, _ model: KerasModelRecord, _ values: [CallKey: [ValueID]]
  ) throws(WeighbridgeError) -> ValueID {
    let layer = model.layerIndices[reference.layer] ?? -1
    let outputs = values[CallKey(layer: layer, call: reference.call)] ?? []
    guard outputs.indices.contains(reference.tensor) else {
      throw .malformed(
        "refers to output \(reference.tensor) of \(reference.layer), which has \(outputs.count)")
    }
    return outputs[reference.tensor]
  }
}
