import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// The number types of a layer: what its policy says is cast to the type it computes in.
extension KerasLayer {
  /// The inputs in the type that the layer computes in, as far as Keras casts them. Of a class that is
  /// not Keras' own it casts floating-point inputs only.
  mutating func castInputs(_ inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    let policy = KerasMappings.classes[source.className]?.casts ?? .floats
    guard let type = types?.compute, policy != .none else { return inputs }
    let castsWholeNumbers =
      policy == .all || (policy == .allBeforeKeras3 && version.major < 3)
    var result: [ValueID] = []
    for (index, input) in inputs.enumerated() {
      let given = graph.type(of: input).elementType
      let role = inputs.count == 1 ? "input_cast" : "input_cast_\(index)"
      let isCast = given != type && (given.isFloat || castsWholeNumbers)
      result.append(isCast ? try cast(input, to: type, role: role) : input)
    }
    return result
  }

  /// A value in another number type, with its mask.
  ///
  /// - Parameter role: What the cast is for its layer.
  mutating func cast(
    _ value: ValueID, to type: ElementType, role: String
  ) throws(WeighbridgeError) -> ValueID {
    guard graph.type(of: value).elementType != type else { return value }
    let outputs = try add(Cast(to: type), [value], role: role)
    keepMask(from: value, to: outputs)
    return outputs[0]
  }

  /// Refuses weights of types in which no such layer of Keras keeps them.
  ///
  /// - Parameter wanted: The type it must have; `nil` for any of floating-point numbers.
  func checkType(
    of weight: Weight, _ role: String, _ wanted: ElementType?
  ) throws(WeighbridgeError) {
    let type = weight.tensor.elementType
    if let wanted {
      guard type == wanted else {
        throw .malformed(
          "the weight \(role) is \(type.rawValue), and \(wanted.rawValue) is expected"
        ).at(.path(weight.path))
      }
      return
    }
    guard type.isFloat else {
      throw .unsupported(
        "the weight \(role) is \(type.rawValue), and only floating-point can be had"
      ).at(.path(weight.path))
    }
    // In HDF5 such numbers are two bytes without a meaning; only the layer says what they are.
    guard type != .bfloat16 || types?.compute == .bfloat16 else {
      throw .unsupported(
        "the weight \(role) is bfloat16, in which the layer does not compute"
      ).at(.path(weight.path))
    }
  }
}
