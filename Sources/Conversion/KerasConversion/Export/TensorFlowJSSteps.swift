import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// What layers of TensorFlow.js do with the steps of sequences: a wrapper applies a layer to each
/// of them, and masks are passed on from layer to layer without being written.
struct TensorFlowJSSteps {
  /// The numbers of axes of tensors. The type of a value has fewer where it merges axes of steps
  /// with the batch, which the tensor keeps.
  private var ranks: [KerasTensorReference: Int] = [:]
  /// The tensors that decide which steps count, by the tensors that are passed on with this mask.
  private var masks: [KerasTensorReference: KerasTensorReference] = [:]

  /// The layers that pass on the mask of their input in all versions (`computeMask` of each class).
  private static let passing: Set<String> = [
    "Activation", "AlphaDropout", "BatchNormalization", "Dense", "Dropout", "GaussianDropout",
    "GaussianNoise", "LayerNormalization", "PReLU", "ReLU", "SpatialDropout1D", "TimeDistributed",
  ]
  /// The layers of several tensors that work on each element, whatever the number of axes is.
  private static let elementwise: Set<String> = [
    "Add", "Average", "Maximum", "Minimum", "Multiply",
  ]

  /// The number of axes of steps that the tensors of a call have and their types do not.
  private func mergedAxes(_ call: KerasWrittenCall) throws(WeighbridgeError) -> Int {
    let counts = Set(call.ranks.map { (ranks[$0.tensor] ?? $0.rank) - $0.rank })
    guard counts.count <= 1, (counts.first ?? 0) >= 0 else {
      throw .unsupported(
        "combines steps of sequences with other tensors, and TensorFlow.js applies a layer to "
          + "each step of one sequence")
    }
    return counts.first ?? 0
  }

  /// Returns a layer in the form that takes the tensors of a call: in a wrapper for each axis of
  /// steps.
  func wrapped(
    _ className: String, _ config: JSONObject, _ call: KerasWrittenCall
  ) throws(WeighbridgeError) -> (className: String, config: JSONObject) {
    let count = try mergedAxes(call)
    guard count > 0, !Self.elementwise.contains(className) else { return (className, config) }
    guard call.ranks.count == 1 else {
      throw .unsupported(
        "applies \(className) to the steps of \(call.ranks.count) sequences, and TensorFlow.js "
          + "has TimeDistributed for one")
    }
    var result = (className: className, config: config)
    for _ in 0..<count {
      let name: JSONObject = ["name": .string(result.className.lowercased())]
      let layer: JSONObject = [
        "class_name": .string(result.className), "config": .object(name.merging(result.config)),
      ]
      result = ("TimeDistributed", ["dtype": "float32", "layer": .object(layer)])
    }
    return result
  }

  /// Records an input of the model.
  mutating func addInput(_ value: KerasValue) {
    if let tensor = value.reference { ranks[tensor] = value.type.rank }
  }

  /// Records what the last call of a layer does with the steps and masks of its input.
  mutating func pass(through layer: KerasWrittenLayer, to outputs: [KerasValue]) {
    guard let call = layer.calls.last, let first = call.ranks.first else { return }
    let mergedAxes = (ranks[first.tensor] ?? first.rank) - first.rank
    let passes =
      Self.passing.contains(layer.className) || layer.config["return_sequences"] == true
    for (index, output) in outputs.enumerated() {
      guard let tensor = output.reference else { continue }
      ranks[tensor] = output.type.rank + mergedAxes
      guard index == 0 else { continue }
      masks[tensor] =
        switch layer.className {
        case "Masking": tensor
        case "Embedding": layer.config["mask_zero"] == true ? first.tensor : nil
        default: passes ? masks[first.tensor] : nil
        }
    }
  }

  /// The tensor that decides which steps of another count; `nil` where all do.
  func mask(of tensor: KerasTensorReference) -> KerasTensorReference? { masks[tensor] }

  /// Whether the type of a value merges axes that its tensor has.
  func mergesAxes(_ value: KerasValue) -> Bool {
    value.reference.flatMap { ranks[$0] }.map { $0 != value.type.rank } ?? false
  }
}

extension KerasWrittenCall {
  /// The tensors, with the numbers of axes of their types.
  fileprivate var ranks: [(tensor: KerasTensorReference, rank: Int)] {
    arguments.flatMap(\.ranks) + keywords.flatMap { $0.value.ranks }
  }
}

extension KerasWrittenArgument {
  fileprivate var ranks: [(tensor: KerasTensorReference, rank: Int)] {
    switch self {
    case .tensor(let tensor, _, let shape): [(tensor, shape.count)]
    case .value: []
    case .list(let elements): elements.flatMap(\.ranks)
    }
  }
}

extension KerasModelBuilder {
  /// A value whose steps become examples of the batch, or the reverse. No layer does it: those that
  /// take the value are applied to each step.
  func stepwise(_ value: KerasValue) throws(WeighbridgeError) -> KerasValue {
    guard value.reference != nil else {
      throw .unsupported("takes apart the steps of a constant or a mask; a tensor can be")
    }
    return KerasValue(source: value.source, type: outputType, name: value.name)
  }

  /// The mask that TensorFlow.js makes of a tensor.
  func passedMask(
    of value: KerasValue, _ type: TensorType
  ) throws(WeighbridgeError) -> KerasValue {
    guard let reference = value.reference else {
      throw .unsupported("makes a mask of a constant, and TensorFlow.js makes it of a tensor")
    }
    return KerasValue(source: .mask(of: reference), type: type, name: "mask")
  }

  /// Refuses a recurrent layer to which TensorFlow.js would pass another mask than the graph's.
  ///
  /// Once a model has a mask, it is also passed to the layers after it that have none
  /// (tfjs-layers, `executor.ts`, `kwargs['mask']`).
  func checkPassedMask(_ parts: RecurrentInputs<Int>) throws(WeighbridgeError) {
    let sequence = self[parts.sequence].reference
    guard let mask = parts.mask else {
      guard fusion.hasMasks else { return }
      throw .unsupported(
        "takes no mask while another layer of the model does, and TensorFlow.js may pass that "
          + "mask to it; masks for all recurrent layers are possible")
    }
    guard case .mask(let origin) = self[mask].source,
      origin == sequence.flatMap({ steps.mask(of: $0) })
    else {
      throw .unsupported(
        "takes a mask that its sequence does not carry in TensorFlow.js; one of Masking or "
          + "Embedding is carried through layers that work on each step")
    }
    guard parts.states.isEmpty else {
      throw .unsupported(
        "takes a mask and initial states, which TensorFlow.js returns where Keras returns zeros")
    }
  }
}
