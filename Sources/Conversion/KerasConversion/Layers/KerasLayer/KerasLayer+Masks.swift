import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The propagation of masks.
extension KerasLayer {
  /// Whether the masks of merged sequences are combined by OR: since Keras 3.4, a step is used when
  /// it is used in any of them.
  var combinesMasksWithOr: Bool { version >= KerasVersion(3, 4) }

  /// Gives a layer's outputs the masks that follow from its class. A mask that the layer is called
  /// with replaces its input's.
  mutating func passMasks(
    of className: String, from inputs: [ValueID], to outputs: [ValueID]
  ) throws(WeighbridgeError) {
    guard let input = inputs.first, let output = outputs.first else { return }
    switch KerasMappings.classes[className]?.masks {
    case .passedSinceKeras3 where version.major < 3: return
    case .passed, .passedSinceKeras3:
      setMask(takeTensors("mask").first ?? mask(of: output) ?? mask(of: input), of: output)
    case .merged:
      guard inputs.contains(where: { mask(of: $0) != nil }) else { return }
      setMask(try mergedMask(inputs), of: output)
    case .dropped, .handledByBuilder, nil: return
    }
  }

  /// Whether the masks of a list of inputs are lost: the first versions of Keras 3 look for the
  /// mask of the list itself, which has none.
  private var dropsMasksOfLists: Bool { version.major == 3 && !combinesMasksWithOr }

  /// The mask of layers that merge element by element: in Keras 2, a step is used when it is used
  /// in each input that has a mask.
  private mutating func mergedMask(_ inputs: [ValueID]) throws(WeighbridgeError) -> ValueID? {
    if dropsMasksOfLists { return nil }
    let masks = inputs.compactMap { mask(of: $0) }
    guard combinesMasksWithOr else { return try combined(masks, LogicalAnd()) }
    return masks.count == inputs.count ? try combined(masks, LogicalOr()) : nil
  }

  /// The mask of `Concatenate`: Keras concatenates the masks like the inputs, each repeated for all
  /// features, and uses a step when all of its features are used; since 3.4, when any is. An input
  /// without a mask is used.
  mutating func concatenatedMask(
    _ inputs: [ValueID], axis: Int
  ) throws(WeighbridgeError) -> ValueID? {
    if dropsMasksOfLists { return nil }
    let masks = inputs.compactMap { mask(of: $0) }
    guard let rank = inputs.first.map({ graph.type(of: $0).rank }), !masks.isEmpty else {
      return nil
    }
    guard masks.allSatisfy({ graph.type(of: $0).rank == rank - 1 }) else {
      throw .unsupported("puts together tensors with masks of different ranks, which must be equal")
    }
    if axis == rank - 1 {
      guard combinesMasksWithOr else { return try combined(masks, LogicalAnd()) }
      return masks.count == inputs.count ? try combined(masks, LogicalOr()) : nil
    }
    guard combinesMasksWithOr || masks.count == inputs.count else {
      throw .unsupported("concatenates steps with a mask and steps without one")
    }
    var all: [ValueID] = []
    for input in inputs {
      if let mask = mask(of: input) {
        all.append(mask)
      } else {
        all.append(try allTrueMask(of: input))
      }
    }
    return try add(Concatenate(axis: axis), all, role: "mask")[0]
  }

  /// A mask that is true at every step.
  private mutating func allTrueMask(of input: ValueID) throws(WeighbridgeError) -> ValueID {
    let last = graph.type(of: input).rank - 1
    let equal = try add(Comparison(.equal), [input, input], role: "equal")
    let any = try add(Reduce(.any, axes: [last], keepDims: false), equal, role: "any")[0]
    let none = try add(LogicalNot(), [any], role: "none")[0]
    return try add(LogicalOr(), [any, none], role: "every_step")[0]
  }

  private mutating func combined(
    _ masks: [ValueID], _ operation: some PlainOperator
  ) throws(WeighbridgeError) -> ValueID? {
    // A mask shared by several inputs counts once.
    var distinct: [ValueID] = []
    for mask in masks where !distinct.contains(mask) { distinct.append(mask) }
    return distinct.count < 2
      ? distinct.first : try add(operation, distinct, role: "mask")[0]
  }
}
