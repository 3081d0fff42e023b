package import Bytes
package import GraphIR

/// The products of two tensors, summed along one axis of each, for each index of the batch.
///
/// - first: `[batch, ...]`, second: `[batch, ...]`, each with an axis that is summed over
/// - output: `[batch, first's other axes..., second's other axes...]`; `[batch, 1]` when there are
///   none
///
/// With `normalize`, each input is first scaled to length 1 along its axis, as in
/// ``UnitNormalization``; for two vectors, the result is the cosine of their angle. Version 2 has
/// `epsilon`.
package struct Dot: FormulaOperator {
  /// The axis of the first input that is summed over, 1 or more.
  package let firstAxis: Int
  /// The axis of the second input that is summed over, 1 or more.
  package let secondAxis: Int
  /// Whether the inputs are scaled to length 1.
  package let normalizes: Bool
  /// The least sum of squares by which an input is scaled, as in ``UnitNormalization``.
  package let epsilon: Double?

  package static let kind = "dot"
  package static let version = 2
  package static let earliestVersion = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[n, i, j] = sum over k of first[n, i, k] * second[n, j, k],
      k along first_axis and second_axis, i and j along the other axes of first and second
    If normalize, first and second are replaced by their unit normalization along that axis.
    """,
    inputs: [.data("first", .float), .data("second", .same(as: "first"))],
    outputs: [.like("first")],
    attributes: AttributeSchema(
      Self.init(firstAxis:secondAxis:normalizes:epsilon:),
      .axis(
        \.firstAxis, "The axis of the first input that is summed over.", name: "first_axis",
        atLeast: 1),
      .axis(
        \.secondAxis, "The axis of the second input that is summed over.", name: "second_axis",
        atLeast: 1),
      .boolean(
        "normalize", \.normalizes,
        "Whether the inputs are scaled to length 1 along these axes, as by unit_normalization."),
      UnitNormalization.leastSum(\.epsilon)
    ).checked { $0.epsilon != nil && !$0.normalizes ? "epsilon requires normalize" : nil })

  /// Creates the operator.
  package init(firstAxis: Int, secondAxis: Int, normalizes: Bool, epsilon: Double? = nil) {
    self.firstAxis = firstAxis
    self.secondAxis = secondAxis
    self.normalizes = normalizes
    self.epsilon = epsilon == 1e-12 ? nil : epsilon
  }

  /// How an input is scaled along its axis.
  package func normalization(along axis: Int) -> UnitNormalization {
    UnitNormalization(axes: [axis], epsilon: epsilon)
  }
}

extension Dot {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (first, second) = (inputs[0], inputs[1])
    guard first.elementType == second.elementType, first.elementType.isFloat else {
      throw ShapeError("takes floating-point numbers of one type, not \(first) and \(second)")
    }
    guard firstAxis < first.rank, secondAxis < second.rank,
      first.shape[firstAxis].agrees(with: second.shape[secondAxis]),
      first.shape[0].agrees(with: second.shape[0])
    else {
      throw ShapeError(
        "\(first) and \(second) cannot be summed along the axes \(firstAxis) and \(secondAxis)")
    }
    let batch = first.shape[0].merged(with: second.shape[0])
    let remaining = Self.without(firstAxis, first.shape) + Self.without(secondAxis, second.shape)
    return [first.with(shape: [batch] + (remaining.isEmpty ? [1] : remaining))]
  }

  /// The entries of all axes except the batch axis and the given one.
  private static func without<Entry>(_ axis: Int, _ entries: [Entry]) -> [Entry] {
    entries.indices.filter { $0 != 0 && $0 != axis }.map { entries[$0] }
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .decomposition }

  /// The output's axes come from both inputs, so no single permutation applies to all three.
  package func permutingAxes(_ axes: [Int]) -> Dot? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var (matrices, sizes): ([ValueID], [Int]) = ([], [])
    for (index, axis) in [firstAxis, secondAxis].enumerated() {
      var x = make.inputs[index]
      if normalizes { x = try make(normalization(along: axis), x) }
      let axes = (1..<make.type(x).rank).filter { $0 != axis }
      let outer = try axes.map { (axis) throws(WeighbridgeError) in try make.size(x, axis: axis) }
      let transposed = try make.transposed(x, [0] + axes + [axis])
      matrices.append(
        try make(
          ReshapeAxes([
            .axis(0), .fixed(outer.reduce(1, *)), .fixed(try make.size(x, axis: axis)),
          ]), transposed))
      sizes += outer
    }
    let product = try make.matrixProduct(matrices[0], matrices[1], transposeB: true)
    return try make(
      ReshapeAxes([.axis(0)] + (sizes.isEmpty ? [1] : sizes).map { .fixed($0) }), product)
  }
}
