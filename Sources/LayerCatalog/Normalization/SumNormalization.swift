package import Bytes
package import GraphIR

/// Each element's share of a sum: x / (epsilon + sum of x along `axes`).
///
/// Any shape with these axes in, the same out.
package struct SumNormalization: CatalogOperator {
  /// The axes that are summed over, rising, at least one.
  package let axes: [Int]
  /// Added to the sum.
  package let epsilon: Double

  package static let kind = "sum_normalization"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes { ["axes": .integers(axes), "epsilon": .real(epsilon)] }

  /// Makes the operator.
  package init(axes: [Int], epsilon: Double) {
    self.axes = axes
    self.epsilon = epsilon
  }
}

extension SumNormalization {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    axes = try attributes.integers("axes")
    epsilon = try attributes.real("epsilon")
    guard let first = axes.first, first >= 0, zip(axes, axes.dropFirst()).allSatisfy(<) else {
      throw attributes.malformed("axes \(axes), and at least one is needed, in rising order")
    }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat, axes.allSatisfy(inputs[0].shape.indices.contains) else {
      throw ShapeError("takes floating-point numbers with axes \(axes) and has \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    let order = input.shape.indices.filter { !axes.contains($0) } + axes
    let turned = input.permuted(order)
    var elements = turned.doubles
    let size = axes.map { input.shape[$0] }.reduce(1, *)
    for start in stride(from: 0, to: elements.count, by: max(1, size)) {
      let sum = elements[start..<start + size].reduce(epsilon, +)
      for index in start..<start + size { elements[index] /= sum }
    }
    let inverse = order.indices.sorted { order[$0] < order[$1] }
    return [
      Tensor(input.elementType, shape: turned.shape, elements).permuted(inverse)
    ]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package func permutingAxes(_ order: [Int]) -> SumNormalization? {
    SumNormalization(
      axes: order.indices.filter { axes.contains(order[$0]) }, epsilon: epsilon)
  }

  package var decomposition: Decomposition { .primitive }

  package static let keras = SourceMapping<KerasMapping>.unsupported(
    "Keras has no such layer; it is darknet's `normalize_channels` and what weighs its shortcuts")
}
