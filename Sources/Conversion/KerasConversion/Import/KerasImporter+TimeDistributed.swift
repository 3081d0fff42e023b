import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// A `TimeDistributed` layer around a model: the model is inlined, like any nested model, between
/// the folding and the unfolding of the time axis.
extension KerasImporter {
  /// The model that such a layer wraps, directly or through further such wrappers; `nil` for every
  /// other layer.
  static func distributedModel(
    _ record: KerasLayerRecord
  ) throws(WeighbridgeError) -> KerasModelRecord? {
    var wrapper = record
    while wrapper.className == "TimeDistributed", let inner = try wrapper.inner("layer") {
      if inner.isModel { return try KerasModelRecord(nestedIn: inner) }
      wrapper = inner
    }
    return nil
  }

  /// The model of a layer: itself, or the one it wraps; `nil` for other layers.
  static func innerModel(
    _ record: KerasLayerRecord
  ) throws(WeighbridgeError) -> KerasModelRecord? {
    record.isModel ? try KerasModelRecord(nestedIn: record) : try distributedModel(record)
  }

  /// Adds a `TimeDistributed` layer around a model.
  mutating func addDistributed(
    _ model: KerasModelRecord, _ call: LayerCall
  ) throws(WeighbridgeError) -> [ValueID] {
    if let stateful = model.layers.first(where: { $0.config["stateful"]?.bool == true }) {
      throw .unsupported(
        "wraps a model with the stateful layer \(stateful.name), whose state would carry over")
    }
    return try addWrapper(call) { (importer, folded) throws(WeighbridgeError) in
      try importer.addInner(model, of: call, folded)
    }
  }

  /// Adds a wrapper, and those inside it, around what `body` adds to the folded inputs.
  private mutating func addWrapper(
    _ call: LayerCall,
    _ body: (inout KerasImporter, [ValueID]) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    var (settings, types) = try KerasTypePolicy.separate(call.record.config)
    settings["layer"] = nil
    var layer = KerasLayer(
      source: call.source, writer: writer, types: types, settings: settings, weights: .file([]),
      weightValues: [:], arguments: call.arguments, network: takeNetwork())
    let mask = try TimeDistributedLayer.mask(&layer, call.inputs)
    let inputs = try layer.castInputs(call.inputs)
    let folded = try TimeDistributedLayer.fold(&layer, inputs, mask: mask)
    (network, layer.network) = (layer.network, KerasNetwork())
    let outputs: [ValueID]
    if let inner = try call.record.inner("layer"), !inner.isModel {
      let innerCall = LayerCall(
        record: inner, path: "\(call.name)/", number: call.number, inputs: folded)
      outputs = try addWrapper(innerCall, body)
    } else {
      outputs = try body(&self, folded)
    }
    layer.network = takeNetwork()
    let results = try TimeDistributedLayer.unfold(
      &layer, outputs, like: inputs, folded: folded, mask: mask)
    try layer.finish()
    network = layer.network
    return results
  }
}
