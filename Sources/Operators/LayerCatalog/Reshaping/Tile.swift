package import Bytes
package import GraphIR

/// Repeats the whole tensor along its axes.
///
/// - input: an axis for each count, any element type
/// - output: along each axis the input's size times the count
package struct Tile: FormulaOperator, ExactOperator {
  /// The number of repetitions along each axis, 0 or more.
  package let counts: [Int]

  package static let kind = "tile"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[i, j, ...] = input[i mod n0, j mod n1, ...], n the sizes of the input",
    of: .any,
    attributes: AttributeSchema(
      Self.init(counts:),
      .integers(
        "repeats", \.counts, "The number of copies along each axis.", .atLeast(0))))

  /// Creates the operator.
  package init(counts: [Int]) { self.counts = counts }
}

extension Tile {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.rank == counts.count else {
      throw ShapeError("cannot repeat \(counts.count) axes of \(input)")
    }
    var shape: [Dimension] = []
    for (dimension, count) in zip(input.shape, counts) {
      shape.append(count == 1 ? dimension : try Dimension.product([dimension, .fixed(count)]))
    }
    return [input.with(shape: shape)]
  }

  package func permutingAxes(_ axes: [Int]) -> Tile? {
    axes.count == counts.count ? Tile(counts: axes.map { counts[$0] }) : nil
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    // Inserts an axis of size 1 before each axis, broadcasts along it, and merges the two.
    let expand = ReshapeAxes(counts.indices.flatMap { [.fixed(1), .axis($0)] })
    let broadcast = BroadcastTo(target: counts.flatMap { [$0, -1] })
    var sizes: [ReshapeAxes.Size] = []
    for (axis, count) in counts.enumerated() {
      sizes.append(
        count == 1 ? .axis(2 * axis + 1) : .fixed(count * (try make.size(x, axis: axis))))
    }
    return try make(ReshapeAxes(sizes), try make(broadcast, try make(expand, x)))
  }
}
