import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The settings of a Keras recurrent layer other than those of its cells.
///
/// With `go_backwards`, Keras returns the outputs in the order in which it computes them; the
/// operators keep each output at its step, so a ``Reverse`` follows. (Bidirectional layers reverse
/// them again, and need none.)
struct RecurrentLayer {
  let returnsSequences: Bool
  let returnsStates: Bool
  var goesBackwards: Bool
  /// Whether the outputs of masked steps are 0.
  var zeroesMasked: Bool
  let isTimeMajor: Bool
  private let isUnrolled: Bool

  /// Reads the settings.
  init(_ layer: inout KerasLayer) throws(WeighbridgeError) {
    returnsSequences = try layer.flag("return_sequences", default: false)
    returnsStates = try layer.flag("return_state", default: false)
    goesBackwards = try layer.flag("go_backwards", default: false)
    zeroesMasked = try layer.flag("zero_output_for_mask", default: false)
    isTimeMajor = try layer.flag("time_major", default: false)
    isUnrolled = try layer.flag("unroll", default: false)
    if try layer.flag("stateful", default: false) {
      layer.decide("The state of a stateful layer starts at zero in each run.")
    }
    layer.ignore("input_length", "input_dim")
    try layer.require("num_constants", toBe: 0, because: "cells with constants are not supported")
  }

  /// The data that a layer processes.
  struct Data {
    var sequence: ValueID
    /// The mask of the steps, when not all are used.
    var mask: ValueID?
    /// The mask that is passed on with the outputs of all steps.
    let outputMask: ValueID?
    /// The initial states; empty when they are zero.
    var states: [ValueID]

    /// Casts the sequence and the states to the type in which an inner layer or cell computes, as its
    /// call does in Keras 3.
    mutating func castToInner(
      _ layer: inout KerasLayer, prefix: String
    ) throws(WeighbridgeError) {
      guard let type = layer.types?.compute else { return }
      sequence = try layer.cast(sequence, to: type, role: "\(prefix)sequence_cast")
      for (index, state) in states.enumerated() {
        states[index] = try layer.cast(state, to: type, role: "\(prefix)state_cast_\(index)")
      }
    }
  }

  /// Takes the data of a call: the sequence and states in one list, or the states as an argument.
  ///
  /// Keras 3 passes a mask implicitly only where the sequence is the only tensor of the call.
  static func data(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> Data {
    guard let sequence = inputs.first else { throw .malformed("takes a sequence and has no input") }
    let argument = layer.takeTensors("initial_state", position: 1)
    let mask = layer.takeTensors("mask", position: 2)
    guard inputs.count == 1 || argument.isEmpty, mask.count <= 1 else {
      throw .malformed("is given states or masks twice")
    }
    var states = argument + inputs.dropFirst()
    if layer.version.major >= 3, let type = layer.types?.compute {
      for (index, state) in states.enumerated() {
        states[index] = try layer.cast(state, to: type, role: "initial_state_cast_\(index)")
      }
    }
    let outputMask = mask.first ?? layer.mask(of: sequence)
    let usesMask = layer.version.major < 3 || states.isEmpty
    return Data(
      sequence: sequence, mask: usesMask ? outputMask : mask.first, outputMask: outputMask,
      states: states)
  }

  /// Builds a layer of a class.
  static func build(_ className: String) -> KerasMapping.Build {
    { (layer, inputs) throws(WeighbridgeError) in
      let settings = try RecurrentLayer(&layer)
      var data = try data(&layer, inputs)
      try settings.moveBatchFirst(&layer, &data)
      var outputs = try settings.add(
        to: &layer, className, data, role: "")
      outputs[0] = try settings.inKerasOrder(&layer, outputs[0])
      outputs[0] = try settings.moveTimeFirst(&layer, outputs[0])
      if settings.returnsSequences { layer.setMask(data.outputMask, of: outputs[0]) }
      return settings.returnsStates ? outputs : [outputs[0]]
    }
  }

  /// Adds the cells' nodes.
  ///
  /// - Parameter className: `RNN`, whose cells are among its settings, or a class that is its own
  ///   cell.
  /// - Returns: The output, with each step's output at its own step, then the states in Keras'
  ///   order.
  func add(
    to layer: inout KerasLayer, _ className: String, _ data: Data, role: String,
    prefix: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    guard className == "RNN" else {
      return try addCells(to: &layer, className, data, role: role, prefix: prefix)
    }
    let isCalled = layer.version.major >= 3
    let outer = layer.types
    let cellName = try layer.unwrap(layer.take("cell"), isCalled ? .inner : .equal).className
    var data = data
    if isCalled { try data.castToInner(&layer, prefix: prefix) }
    let outputs = try addCells(to: &layer, cellName, data, role: role, prefix: prefix)
    layer.types = outer
    guard isCalled, let type = outer?.compute else { return outputs }
    var results: [ValueID] = []
    for (index, output) in outputs.enumerated() {
      results.append(try layer.cast(output, to: type, role: "\(prefix)output_cast_\(index)"))
    }
    return results
  }

  /// - Parameter cellName: A class of cells, which may be stacked ones.
  private func addCells(
    to layer: inout KerasLayer, _ cellName: String, _ data: Data, role: String, prefix: String
  ) throws(WeighbridgeError) -> [ValueID] {
    guard cellName == "StackedRNNCells" else {
      return try addCell(
        to: &layer, cellName, data, isLast: true, role: role, prefix: prefix, isStacked: false
      ).outputs
    }
    guard let cells = layer.take("cells")?.array, !cells.isEmpty else {
      throw .malformed("has stacked cells without cells")
    }
    return try addStack(to: &layer, cells, data, role: role, prefix: prefix)
  }

  /// Adds stacked cells: a chain of nodes, each over all outputs of the one before it.
  private func addStack(
    to layer: inout KerasLayer, _ cells: [JSONValue], _ data: Data, role: String, prefix: String
  ) throws(WeighbridgeError) -> [ValueID] {
    guard layer.version >= KerasVersion(2, 2, 3) || (data.states.isEmpty && !returnsStates) else {
      throw .unsupported("the states of stacked cells have another order before Keras 2.2.3")
    }
    var (remaining, states, data) = (data.states[...], [ValueID](), data)
    let isCalled = layer.version.major >= 3
    let outer = (layer.part, layer.types)
    defer { (layer.part, layer.types) = outer }
    for (number, form) in cells.enumerated() {
      let isLast = number == cells.count - 1
      (layer.part, layer.types) = outer
      let (className, cellSettings) = try layer.unwrap(form, isCalled ? .inner : .equal)
      layer.part.names.append(.object(cellSettings["name"]?.string ?? "", number))
      data.states = Array(remaining)
      let name = "cell_\(number)"
      if isCalled { try data.castToInner(&layer, prefix: "\(prefix)\(name)/") }
      let (outputs, stateCount) = try addCell(
        to: &layer, className, data, isLast: isLast,
        role: isLast ? role : role.isEmpty ? name : "\(role)/\(name)", prefix: "\(prefix)\(name)/",
        isStacked: true)
      remaining = remaining.dropFirst(stateCount)
      data.sequence = outputs[0]
      states += outputs[1...]
    }
    guard remaining.isEmpty else {
      throw .malformed("is given \(remaining.count.counted("state")) too many")
    }
    return [data.sequence] + states
  }

  private func addCell(
    to layer: inout KerasLayer, _ className: String, _ data: Data, isLast: Bool, role: String,
    prefix: String, isStacked: Bool
  ) throws(WeighbridgeError) -> (outputs: [ValueID], stateCount: Int) {
    let cell = try RecurrentCell.read(
      &layer, className, sequence: layer.graph.type(of: data.sequence), prefix: prefix)
    guard data.states.isEmpty || data.states.count == cell.stateCount || isStacked,
      data.states.isEmpty || data.states.count >= cell.stateCount
    else {
      throw .malformed("has \(cell.stateCount.counted("state")) and is given \(data.states.count)")
    }
    if isLast && cell.stateCount > 1 { try checkCNTKOutput(of: layer) }
    if !cell.takesMask, data.mask != nil {
      throw .malformed("\(className) takes no mask, and its input has one")
    }
    let states = Array(data.states.prefix(cell.stateCount))
    let zeroes =
      zeroesMasked && isLast && data.mask != nil
      && (!cell.isConvolutional || layer.version.major >= 3)
    // An unrolled layer that goes backwards applies the mask, which is in the order of the sequence,
    // to its outputs, which are not: the zeros are at the mirrored positions of masked steps.
    let mirrorsMask = zeroes && isUnrolled && goesBackwards && returnsSequences
    let recurrence = Recurrence(
      isReversed: goesBackwards, returnsSequences: returnsSequences || !isLast,
      hasInitialStates: !states.isEmpty,
      mask: data.mask == nil
        ? .none
        : zeroes && !mirrorsMask
          ? .zero : try stepMask(&layer, hasStates: !states.isEmpty, isStacked: isStacked),
      dropout: cell.dropout, stateDropout: cell.stateDropout)
    let inputs = [data.sequence] + (data.mask.map { [$0] } ?? []) + states
    var outputs = try cell.add(to: &layer, recurrence, inputs, role: role)
    if let mask = data.mask, mirrorsMask {
      outputs[0] = try zeroed(
        &layer, outputs[0], byReversed: mask, role: role.isEmpty ? "zeroed" : "\(role)/zeroed")
    }
    return (outputs, cell.stateCount)
  }

  /// Replaces outputs by 0 where the mask of the mirrored step, `[batch, time]`, is false.
  private func zeroed(
    _ layer: inout KerasLayer, _ output: ValueID, byReversed mask: ValueID, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let rank = layer.graph.type(of: output).rank
    let mirrored = try layer.add(Reverse(axes: [1]), [mask], role: "\(role)_mask")
    let expanded = try layer.add(
      ExpandDims(axes: Array(2..<rank)), mirrored, role: "\(role)_expand")
    let zeros = try layer.add(FullLike(value: 0), [output], role: "\(role)_zeros")
    return try layer.add(Where(), expanded + [output] + zeros, role: role)[0]
  }

  /// Refuses cells with several states whose output Keras replaces by another state: on CNTK, Keras
  /// 2.2.3 and later return the last state unless the layer is unrolled.
  private func checkCNTKOutput(of layer: KerasLayer) throws(WeighbridgeError) {
    guard layer.backend == .cntk, layer.version >= KerasVersion(2, 2, 3), !isUnrolled else {
      return
    }
    throw .unsupported(
      "Keras \(layer.version) on CNTK gives the cell's state in place of its output; "
        + "\(APIName.kerasBackend) tensorflow reads the layer as all other backends do")
  }

  /// The layer's output at masked steps, where it is not 0.
  ///
  /// Keras on TensorFlow before 2.3 returns the first state. That is the previous step's output,
  /// except at the beginning, and except in a stack, where it is the first cell's state.
  private func stepMask(
    _ layer: inout KerasLayer, hasStates: Bool, isStacked: Bool
  ) throws(WeighbridgeError) -> StepMask {
    let version = layer.version
    guard version < KerasVersion(2, 3), version.suffix != "-tf", !isUnrolled else {
      return .previous
    }
    if isStacked {
      throw .unsupported(
        "Keras \(version) gives the first cell's state at the steps of stacked "
          + "cells that a mask leaves out")
    }
    guard hasStates else { return .previous }
    layer.decide(
      "At steps that the mask leaves out before the first one that counts, the output is the "
        + "initial state, as on TensorFlow.")
    return .state
  }
}

extension KerasLayerClass {
  /// Creates the class of a recurrent layer that is its own cell.
  static func recurrent(
    _ name: String, shape: ShapeEvidence.Relation = .steps, parts: KerasLayerParts = .cell,
    _ cell: @escaping RecurrentCell.Read
  ) -> Self {
    Self(
      name, masks: .handledByBuilder, casts: .all, shape: shape, parts: parts, cell: cell,
      RecurrentLayer.build(name))
  }

  /// Creates the class of a cell, which occurs in the settings of other layers.
  static func cell(_ name: String, _ cell: @escaping RecurrentCell.Read) -> Self {
    Self(name, masks: .dropped, casts: .floats, shape: .unknown, cell: cell, nil)
  }
}

extension RecurrentLayer {
  /// Transposes the data so that the batch comes first, where the layer takes the time first.
  func moveBatchFirst(_ layer: inout KerasLayer, _ data: inout Data) throws(WeighbridgeError) {
    guard isTimeMajor else { return }
    let rank = layer.graph.type(of: data.sequence).rank
    guard rank >= 2 else { throw .malformed("takes a sequence") }
    let order = [1, 0] + Array(2..<rank)
    data.sequence = try layer.add(Transpose(axes: order), [data.sequence], role: "batch_first")[0]
    if let mask = data.mask {
      data.mask = try layer.add(Transpose(axes: [1, 0]), [mask], role: "mask_batch_first")[0]
    }
  }

  /// Transposes an output so that the time comes first again.
  func moveTimeFirst(
    _ layer: inout KerasLayer, _ output: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    guard isTimeMajor, returnsSequences else { return output }
    let order = [1, 0] + Array(2..<layer.graph.type(of: output).rank)
    return try layer.add(Transpose(axes: order), [output], role: "time_first")[0]
  }

  /// Returns an output with its steps in the order in which Keras returns them.
  func inKerasOrder(
    _ layer: inout KerasLayer, _ output: ValueID, role: String = "reverse"
  ) throws(WeighbridgeError) -> ValueID {
    guard goesBackwards, returnsSequences else { return output }
    return try layer.add(Reverse(axes: [1]), [output], role: role)[0]
  }
}
