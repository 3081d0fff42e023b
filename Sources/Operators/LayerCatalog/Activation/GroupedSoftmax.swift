package import Bytes
package import GraphIR

/// A ``Softmax`` over each of several consecutive groups along an axis: the classes of a tree,
/// where those of a group are mutually exclusive (Redmon and Farhadi 2017, section 4).
///
/// Any shape whose size along `axis` is the total of all groups; the output has the same
/// shape.
package struct GroupedSoftmax: ArithmeticOperator {
  /// The axis of the classes; the first is 0.
  package let axis: Int
  /// The number of classes in each group, at least 1.
  package let sizes: [Int]

  package static let kind = "grouped_softmax"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Along axis the elements are cut into groups of the given sizes, in order.
    In each group: y = softmax of x, as in softmax
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(axis:sizes:),
      .axis(\.axis, "The axis of the classes; its size is the sum of the sizes."),
      .integers(
        "sizes", \.sizes, "The number of classes in each group.", .atLeast(1), .sizeLimit,
        .minimumCount(1))))

  /// Creates the operator.
  package init(axis: Int, sizes: [Int]) {
    self.axis = axis
    self.sizes = sizes
  }
}

extension GroupedSoftmax {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat, axis < inputs[0].rank,
      inputs[0].shape[axis].agrees(with: .fixed(sizes.reduce(0, +)))
    else {
      throw ShapeError(
        "takes \(sizes.reduce(0, +)) classes along axis \(axis), not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let softmax = Softmax(axes: [0])
    let output = inputs[0].mappingLanes(along: [axis], workers: workers) { lane in
      var start = lane.startIndex
      return sizes.flatMap { size in
        defer { start += size }
        return softmax.apply(lane[start..<start + size])
      }
    }
    return [output]
  }

  package func permutingAxes(_ axes: [Int]) -> GroupedSoftmax? {
    axes.firstIndex(of: axis).map { GroupedSoftmax(axis: $0, sizes: sizes) }
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      var (start, result) = (0, make.inputs[0])
      for (index, size) in sizes.enumerated() {
        let group = try make.slice(make.inputs[0], start..<start + size, axis: axis)
        let probabilities = try make(Softmax(axes: [axis]), group)
        result =
          index == 0 ? probabilities : try make(Concatenate(axis: axis), result, probabilities)
        start += size
      }
      return result
    }
  }
}
