import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// `Bidirectional`: a layer over the sequence and another over the reversed sequence, whose outputs
/// are merged.
extension RecurrentLayer {
  private enum MergeMode: String, CaseIterable {
    case concat, sum, mul, ave

    func operation(rank: Int) -> any CatalogOperator {
      switch self {
      case .concat: Concatenate(axis: rank - 1)
      case .sum: Add()
      case .mul: Multiply()
      case .ave: Average()
      }
    }
  }

  /// Without `merge_mode`, or with null, both outputs are returned unmerged.
  static let bidirectional: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let mergeMode = try mergeMode(&layer)
    try layer.require("num_constants", toBe: 0, because: "cells with constants are not supported")
    var data = try data(&layer, inputs)
    let forms = (forward: layer.take("layer"), backward: layer.take("backward_layer"))
    let states = try splitStates(of: data.states)

    data.states = states.forward
    let forward = try addDirection(&layer, forms.forward, &data, role: "forward") { _ in }
    data.states = states.backward
    let backward = try addDirection(
      &layer, forms.backward ?? forms.forward, &data, role: "backward"
    ) { if forms.backward == nil { $0.goesBackwards.toggle() } }
    let settings = forward.settings
    guard settings.goesBackwards != backward.settings.goesBackwards,
      settings.returnsSequences == backward.settings.returnsSequences,
      settings.returnsStates == backward.settings.returnsStates
    else { throw .malformed("its two layers do not go into opposite directions") }
    var outputs = try ordered(&layer, settings, forward.outputs[0], backward.outputs[0])
    if layer.version.major >= 3, let type = layer.types?.compute {
      for (index, role) in ["forward/output_cast", "backward/output_cast"].enumerated() {
        outputs[index] = try layer.cast(outputs[index], to: type, role: role)
      }
    }
    if let mergeMode {
      let rank = layer.graph.type(of: outputs[0]).rank
      outputs = try layer.add(mergeMode.operation(rank: rank), outputs, role: "merge")
    }
    if settings.returnsSequences {
      for output in outputs { layer.setMask(data.outputMask, of: output) }
    }
    return settings.returnsStates
      ? outputs + forward.outputs[1...] + backward.outputs[1...] : outputs
  }

  private static func mergeMode(_ layer: inout KerasLayer) throws(WeighbridgeError) -> MergeMode? {
    guard let written = layer.take("merge_mode") else { return nil }
    guard let mergeMode = written.string.flatMap(MergeMode.init(rawValue:)) else {
      throw layer.unexpected("merge_mode", written, "concat, sum, mul, ave or null")
    }
    return mergeMode
  }

  private static func splitStates(
    of states: [ValueID]
  ) throws(WeighbridgeError) -> (forward: [ValueID], backward: [ValueID]) {
    guard states.count.isMultiple(of: 2) else {
      throw .malformed("is given \(states.count.counted("state")) for two layers")
    }
    let half = states.count / 2
    return (Array(states[..<half]), Array(states[half...]))
  }

  private static func addDirection(
    _ layer: inout KerasLayer, _ form: JSONValue?, _ data: inout Data, role: String,
    change: (inout RecurrentLayer) -> Void
  ) throws(WeighbridgeError) -> (settings: RecurrentLayer, outputs: [ValueID]) {
    let outer = (layer.part, layer.types)
    defer { (layer.part, layer.types) = outer }
    layer.part.names.append(.prefix("\(role)_"))
    // Where a call casts the inputs, those of the wrapped layers do.
    let isCalled = layer.writer.inputCasting == .always
    let (className, _) = try layer.unwrap(form, isCalled ? .inner : .equal)
    var settings = try RecurrentLayer(&layer)
    change(&settings)
    // The Keras inside TensorFlow sets this, whatever the wrapped layer's own setting is.
    if layer.version >= KerasVersion(2, 4) || layer.version.suffix == "-tf" {
      settings.zeroesMasked = settings.returnsSequences
    }
    var directionData = data
    if isCalled { try directionData.castToInner(&layer, prefix: "\(role)/") }
    try settings.moveBatchFirst(&layer, &directionData)
    return (
      settings,
      try settings.add(to: &layer, className, directionData, role: role, prefix: "\(role)/")
    )
  }

  /// Returns both outputs in the step order in which Keras merges them: it reverses the second one.
  private static func ordered(
    _ layer: inout KerasLayer, _ settings: RecurrentLayer, _ forward: ValueID, _ backward: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    var outputs = [forward, backward]
    if settings.goesBackwards && settings.returnsSequences {
      for (index, role) in ["forward_reverse", "backward_reverse"].enumerated() {
        outputs[index] = try settings.inKerasOrder(&layer, outputs[index], role: role)
      }
    }
    return [
      try settings.moveTimeFirst(&layer, outputs[0]),
      try settings.moveTimeFirst(&layer, outputs[1]),
    ]
  }
}
