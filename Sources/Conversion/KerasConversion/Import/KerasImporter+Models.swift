import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension KerasImporter {
  /// Inlines the model that a layer is.
  mutating func addModel(_ call: LayerCall) throws(WeighbridgeError) -> [ValueID] {
    var arguments = call.arguments
    for (name, masks) in arguments.takeTensors(where: { $0 == "mask" || $0.hasPrefix("mask[") }) {
      // One list of masks, or `mask[1]` for a single input.
      let first = name.dropFirst("mask[".count).dropLast()
      let inputs = call.inputs.dropFirst(Int(UInt16(first) ?? 0))
      for (input, mask) in zip(inputs, masks) { network.masks[input] = mask }
    }
    try arguments.checkUnread(writer.version)
    let model = try KerasModelRecord(nestedIn: call.record)
    return try addInner(model, of: call, Self.inputs(of: call, for: model))
  }

  /// Returns the inputs of a nested model in its own order. A model that takes a list finds those of
  /// a dictionary by the names of its InputLayers; otherwise both are in the order of their keys.
  private static func inputs(of call: LayerCall, for model: KerasModelRecord) -> [ValueID] {
    guard let keys = call.inputKeys, !model.takesDictionary else { return call.inputs }
    let positions = model.inputs.compactMap { keys.firstIndex(of: $0.layer) }
    return positions.count == call.inputs.count
      ? positions.map { call.inputs[$0] } : call.inputs
  }

  /// Inlines the model that a layer is or wraps. Its weights may be in one list under its name.
  mutating func addInner(
    _ model: KerasModelRecord, of call: LayerCall, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let inner = "\(call.name)/"
    if requests == nil, let flat = weights.removeValue(forKey: call.name) {
      try distribute(flat, to: model, of: call, inputs: inputs)
    }
    return try inline(model, path: inner, inputs: inputs, call: call.number)
  }
}
