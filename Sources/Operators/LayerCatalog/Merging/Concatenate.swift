package import Bytes
package import GraphIR

/// Concatenates tensors along an axis.
///
/// - inputs: two or more of the same element type, with equal sizes along all other axes
/// - output: the inputs' shape, with the sum of their sizes along `axis`
package struct Concatenate: ExactOperator, PrimitiveOperator {
  /// The axis along which they are concatenated; the first is 0.
  package let axis: Int

  package static let kind = "concatenate"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "The elements of the inputs, one input after the other along axis.",
    inputs: [.variadic("input", .any)],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axis:),
      .axis(\.axis, "The axis along which the inputs are concatenated.")))

  /// Creates the operator.
  package init(axis: Int) { self.axis = axis }
}

extension Concatenate {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var result = inputs[0]
    guard axis < result.rank else { throw ShapeError("\(result) has no axis \(axis)") }
    for other in inputs.dropFirst() {
      guard other.elementType == result.elementType, other.rank == result.rank else {
        throw ShapeError("takes inputs of one type and rank, not \(result) and \(other)")
      }
      let pairs = zip(result.shape, other.shape)
      let differing = pairs.enumerated().filter {
        $0.offset != axis && !$0.element.0.agrees(with: $0.element.1)
      }.map(\.offset)
      guard differing.isEmpty else {
        throw ShapeError(
          "the shapes \(result.shape) and \(other.shape) differ along the axes \(differing), "
            + "and only axis \(axis) may differ")
      }
      let length = try Self.sum(result.shape[axis], other.shape[axis])
      result.shape = pairs.map { $0.merged(with: $1) }
      result.shape[axis] = length
    }
    return [result]
  }

  private static func sum(_ first: Dimension, _ second: Dimension) throws(ShapeError) -> Dimension {
    guard let first = first.value, let second = second.value else { return .unknown }
    let (sum, overflow) = first.addingReportingOverflow(second)
    guard !overflow else { throw ShapeError("the sum of the sizes is too large") }
    return .fixed(sum)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let parts = inputs.map { ($0.contiguousBytes(), $0.shape[axis...].reduce(1, *)) }
    let (type, outer) = (inputs[0].elementType, inputs[0].shape[..<axis].reduce(1, *))
    var bytes: [UInt8] = []
    for index in 0..<outer {
      for (part, count) in parts {
        let size = count * type.byteCount
        bytes += part[index * size..<(index + 1) * size]
      }
    }
    var shape = inputs[0].shape
    shape[axis] = inputs.map { $0.shape[axis] }.reduce(0, +)
    return [Tensor(type, shape: shape, bytes: bytes)]
  }

  package func permutingAxes(_ axes: [Int]) -> Concatenate? {
    axes.firstIndex(of: axis).map(Concatenate.init(axis:))
  }
}
