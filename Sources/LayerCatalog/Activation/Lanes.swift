package import Bytes
package import GraphIR

/// An operator that treats each lane by itself: the elements of one input that differ in their
/// indices along `axes` only.
package protocol LanewiseOperator: CatalogOperator {
  /// The axes that are worked on together, rising, at least one.
  var axes: [Int] { get }

  /// An operator of the same settings on other axes.
  init(axes: [Int])

  /// The output's lane for an input's.
  func apply(_ lane: ArraySlice<Double>) -> [Double]
}

extension LanewiseOperator {
  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes { ["axes": .integers(axes)] }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    let axes = try attributes.integers("axes")
    guard let first = axes.first, first >= 0, zip(axes, axes.dropFirst()).allSatisfy(<) else {
      throw attributes.malformed("axes \(axes), and at least one is needed, in rising order")
    }
    self.init(axes: axes)
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
    let elements = turned.doubles
    let size = axes.map { input.shape[$0] }.reduce(1, *)
    let lanes = workers.map(size == 0 ? 0 : elements.count / size) { index in
      apply(elements[index * size..<(index + 1) * size])
    }
    let output = Tensor(input.elementType, shape: turned.shape, lanes.flatMap { $0 })
    let inverse = order.indices.sorted { order[$0] < order[$1] }
    return [output.permuted(inverse)]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package func permutingAxes(_ order: [Int]) -> Self? {
    Self(axes: order.indices.filter { axes.contains(order[$0]) })
  }
}

extension KerasLayer {
  /// The last axis, for a function that works along it.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is no axis besides the batch.
  static func lastAxis(of type: TensorType) throws(WeighbridgeError) -> Int {
    guard type.rank >= 2 else {
      throw WeighbridgeError(.malformed, "needs an axis besides the batch and has \(type)")
    }
    return type.rank - 1
  }
}
