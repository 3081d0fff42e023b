package import Bytes
package import GraphIR

/// What a layer's mapping must know of its inputs.
extension KerasLayer {
  /// The input of a layer that takes one.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is another number of them.
  package func onlyInput(_ inputs: [ValueID]) throws(WeighbridgeError) -> ValueID {
    guard inputs.count == 1 else {
      throw WeighbridgeError(.malformed, "takes one input and has \(inputs.count)")
    }
    return inputs[0]
  }

  /// An axis as Keras writes it, where -1 is the last one, counted from the first.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when `type` has no such axis.
  package static func axis(
    _ axis: Int, of type: TensorType
  ) throws(WeighbridgeError) -> Int {
    guard axis >= -type.rank, axis < type.rank else {
      throw WeighbridgeError(.malformed, "axis=\(axis), and the input is \(type)")
    }
    return axis < 0 ? axis + type.rank : axis
  }
}
