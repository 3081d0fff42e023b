import Bytes
import ConversionCore
import GraphIR
import KerasFormat
import LayerCatalog

/// Sums as Keras 3 computes them on TensorFlow: what is added to a tensor, and has one axis longer than 1, is a bias of the
/// last axis if that is as long, else of axis 1 if that is, whichever axis it has
/// (`keras/src/backend/tensorflow/numpy.py`, `add`).
extension KerasLayer {
  /// The version that began to do so in convolutions and `keras.ops.add`.
  static let movesBiases = KerasVersion(3, 7)

  /// The shape with which something is added to a tensor on TensorFlow; `nil` where it is added as everywhere.
  ///
  /// Where the file does not say the backend, what Keras means is computed, and a decision says so.
  ///
  /// - Parameters:
  ///   - addend: The shape of what is added; the last axes are aligned.
  ///   - version: The first version that does so.
  mutating func movedShape(
    of addend: [Dimension], in sum: TensorType, since version: KerasVersion = movesBiases
  ) -> [Int]? {
    let long = addend.indices.filter { addend[$0].value != 1 }
    guard self.version >= version, sum.rank > 1, addend.count <= sum.rank, long.count == 1,
      let length = addend[long[0]].value,
      let axis = [sum.rank - 1, 1].first(where: { sum.shape[$0].value == length }),
      axis != sum.rank - addend.count + long[0]
    else { return nil }
    switch writer.isOnTensorFlow {
    case false?: return nil
    case nil:
      decideOnce(
        "\(length.counted("number")) are added along the axis that they have; Keras on TensorFlow adds them along "
          + "axis \(axis), which is as long, and so does \(APIName.kerasBackend) tensorflow")
      return nil
    case true?:
      decideOnce(
        "\(length.counted("number")) are added along axis \(axis), as Keras does on TensorFlow")
      return sum.shape.indices.map { $0 == axis ? length : 1 }
    }
  }

  /// Adds a convolution and the bias of its channels, which is the next weight.
  ///
  /// - Parameters:
  ///   - inputs: The image and the kernel.
  ///   - channels: The number of output channels.
  ///   - operation: The convolution, with a bias or without one.
  mutating func addConvolution<Operation: CatalogOperator>(
    _ inputs: [ValueID], channels: Int, hasBias: Bool, _ layout: DataLayout, role: String = "",
    _ operation: (_ hasBias: Bool) -> Operation
  ) throws(WeighbridgeError) -> ValueID {
    let plain = operation(false)
    guard hasBias else { return try add(plain, inputs, role: role)[0] }
    let types = try? plain.outputTypes(of: inputs.map { graph.type(of: $0) })
    let ones = [Dimension](repeating: .fixed(1), count: max(0, (types?.first?.rank ?? 0) - 2))
    let shape =
      layout == .channelsFirst ? [.fixed(1), .fixed(channels)] + ones : [.fixed(channels)]
    guard let type = types?.first, let moved = movedShape(of: shape, in: type) else {
      let bias = try weight("bias", shape: [channels])
      return try add(operation(true), inputs + [bias], role: role)[0]
    }
    let product = try add(plain, inputs, role: role.isEmpty ? "unbiased" : "\(role)_unbiased")
    let bias = try weight("bias", shape: [channels]) { $0.reshaped(moved) }
    return try add(Add(), product + [bias], role: role)[0]
  }

  /// The tensors of a sum, each with the axes along which it is added to the first.
  mutating func addends(_ values: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    guard let first = values.first else { return values }
    var result = [first]
    for (index, value) in values.enumerated().dropFirst() {
      let moved = movedShape(of: graph.type(of: value).shape, in: graph.type(of: first))
      result.append(
        try moved.map { (shape) throws(WeighbridgeError) in
          try add(ReshapeAxes(shape.map { .fixed($0) }), [value], role: "addend_\(index)")[0]
        } ?? value)
    }
    return result
  }
}
