package import Bytes
package import GraphIR

/// Splits a tensor into parts along an axis.
///
/// - input: any shape and element type
/// - outputs: one for each size, with the input's shape and that size along `axis`
package struct Split: CompositeOperator, ExactOperator {
  /// The axis that is split; the first is 0.
  package let axis: Int
  /// The sizes of the parts, at least one, each 0 or more; they add up to the input's size.
  package let sizes: [Int]

  package static let kind = "split"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output i = the elements of input along axis from sizes[0] + ... + sizes[i - 1] on, sizes[i] \
    of them
    """,
    inputs: [.data("input", .any)],
    outputs: [.like("input", countedBy: "sizes")],
    attributes: AttributeSchema(
      Self.init(axis:sizes:),
      .axis(\.axis),
      .integers(
        "sizes", \.sizes,
        """
        The size of each output along axis; their sum is the input's.
        """, .atLeast(0), .minimumCount(1))))

  /// Creates the operator.
  package init(axis: Int, sizes: [Int]) {
    self.axis = axis
    self.sizes = sizes
  }
}

extension Split {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    var total = 0
    for size in sizes {
      let (sum, overflow) = total.addingReportingOverflow(size)
      guard !overflow else { throw ShapeError("the parts \(sizes) are too large") }
      total = sum
    }
    guard axis < input.rank, input.shape[axis].agrees(with: .fixed(total)) else {
      throw ShapeError("cannot split axis \(axis) of \(input) into \(sizes)")
    }
    return sizes.map { size in
      var shape = input.shape
      shape[axis] = .fixed(size)
      return input.with(shape: shape)
    }
  }

  package func permutingAxes(_ axes: [Int]) -> Split? {
    axes.firstIndex(of: axis).map { Split(axis: $0, sizes: sizes) }
  }

  package func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    var (parts, start): ([ValueID], Int) = ([], 0)
    for size in sizes {
      parts.append(try make.slice(make.inputs[0], start..<start + size, axis: axis))
      start += size
    }
    return parts
  }
}
