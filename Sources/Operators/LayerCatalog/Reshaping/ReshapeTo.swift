package import Bytes
package import GraphIR

/// The elements in row-major order, with sizes that are computed.
///
/// - input: any shape and element type
/// - sizes: integers of 0 or more, `[axes]`, a known number of axes; one may be -1 and is inferred from the
///   number of elements
/// - output: these sizes, known only when the model runs
package struct ReshapeTo: PlainOperator, ExactOperator, DataDependentOperator {
  package static let kind = "reshape_to"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    The same elements in row-major order; the output has one axis for each entry of sizes:
    size[i] = sizes[i] if that is not -1
    size[i] = (number of elements) / (product of the other sizes) otherwise, at most once
    Sizes that do not fit the number of elements are an error.
    """,
    inputs: [.data("input", .any), .data("sizes", .integer)],
    outputs: [.like("input")])

  /// Creates the operator.
  package init() {}
}

extension ReshapeTo {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [inputs[0].with(shape: try Fill.sizes(inputs[1]))]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    do throws(ShapeError) { _ = try outputTypes(of: inputs.map(\.type)) } catch {
      throw .mismatch(error.reason)
    }
    let sizes = inputs[1].wrappedIntegers.map { Int($0) }
    let known = sizes.filter { $0 != -1 }
    guard known.allSatisfy({ $0 >= 0 }), known.count >= sizes.count - 1 else {
      throw .mismatch(
        "reshapes to the sizes \(sizes), expected numbers of 0 or more and one -1 at most")
    }
    let product = try Checked.product(known, of: "the output")
    let count = inputs[0].count
    let fits = known.count == sizes.count ? product == count : product > 0 && count % product == 0
    guard fits else {
      throw .mismatch("\(count) elements of \(inputs[0].type) do not fit the sizes \(sizes)")
    }
    return [inputs[0].reshaped(sizes.map { $0 == -1 ? count / product : $0 })]
  }

  /// The order of the elements must not change.
  package func permutingAxes(_ axes: [Int]) -> ReshapeTo? { nil }
}
