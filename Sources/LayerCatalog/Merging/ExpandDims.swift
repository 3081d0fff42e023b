package import Bytes
package import GraphIR

/// The same elements with more axes, each of size 1.
///
/// - input: any shape and element type
/// - output: the input's axes in their order, with the new ones at the positions `axes`
package struct ExpandDims: CatalogOperator {
  /// The positions of the new axes in the output, rising.
  package let axes: [Int]

  package static let kind = "expand_dims"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes { ["axes": .integers(axes)] }

  /// Makes the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension ExpandDims {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    axes = try attributes.axes("axes")
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    for axis in axes {
      guard axis <= shape.count else {
        throw ShapeError("no axis can be put at position \(axis) of \(shape)")
      }
      shape.insert(1, at: axis)
    }
    return [inputs[0].with(shape: shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    var shape = inputs[0].shape
    for axis in axes { shape.insert(1, at: axis) }
    return [inputs[0].reshaped(shape)]
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  /// The output has another number of axes than the input, so there is no order of both.
  package func permutingAxes(_ axes: [Int]) -> ExpandDims? { self.axes.isEmpty ? self : nil }

  package var decomposition: Decomposition { .primitive }

  package static let keras = SourceMapping<KerasMapping>.unsupported(
    "Keras has no such layer; the merging layers do this to inputs of a lower rank")
}

extension KerasLayer {
  /// Adds an operator that combines tensors element by element.
  ///
  /// An input with fewer axes than another gets axes of size 1 behind the batch, as Keras does
  /// it: `[batch, channels]` becomes `[batch, 1, 1, channels]`.
  mutating func addMerging(
    _ operation: some BroadcastingOperator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    try add(operation, try aligned(inputs))
  }

  /// The inputs with as many axes each.
  mutating func aligned(_ inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    let rank = inputs.map { graph.type(of: $0).rank }.max() ?? 0
    var aligned: [ValueID] = []
    for input in inputs {
      let missing = rank - graph.type(of: input).rank
      let expansion = ExpandDims(axes: Array(1..<missing + 1))
      aligned +=
        missing == 0 ? [input] : try add(expansion, [input], role: "expand_dims")
    }
    return aligned
  }
}
