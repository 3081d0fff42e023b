package import Bytes
package import GraphIR

/// A fully connected layer on the last axis: y[o] = sum over i of kernel[o, i] · x[i] + bias[o].
///
/// - input: `[batch, ..., in]`, of rank 2 or more
/// - kernel: `[out, in]`
/// - bias: `[out]`
/// - output: `[batch, ..., out]`
package struct Dense: PrimitiveOperator {
  /// Whether there is a bias.
  package let hasBias: Bool

  package static let kind = "dense"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[..., o] = bias[o] + sum over i of kernel[o, i] * x[..., i]",
    inputs: [.data("input", .float), .weight("kernel"), .weight("bias", .when("bias"))],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(hasBias:),
      .boolean("bias", \.hasBias, "Whether there is a bias; 0 otherwise.")))

  /// Creates the operator.
  package init(hasBias: Bool) {
    self.hasBias = hasBias
  }
}

extension Dense {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, kernel) = (inputs[0], inputs[1])
    guard input.rank >= 2, input.elementType.isFloat else {
      throw ShapeError("takes two or more axes of floating-point numbers, not \(input)")
    }
    guard let kernelShape = kernel.fixedShape, kernelShape.count == 2 else {
      throw ShapeError("the kernel \(kernel) is not [out, in]")
    }
    guard input.shape[input.rank - 1].agrees(with: .fixed(kernelShape[1])) else {
      throw ShapeError(
        "the kernel takes \(kernelShape[1].counted("feature")), but the input \(input) has "
          + "\(input.shape[input.rank - 1])")
    }
    if hasBias, inputs[2].shape != [.fixed(kernelShape[0])] {
      throw ShapeError("the bias \(inputs[2]) does not fit \(kernelShape[0].counted("output"))")
    }
    return [input.with(shape: input.shape.dropLast() + [.fixed(kernelShape[0])])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let (input, kernel) = (inputs[0], inputs[1])
    let rows = input.shape.dropLast().reduce(1, *)
    let vectors = input.reshaped([rows, kernel.shape[1]])
    let bias = hasBias ? inputs[2].doubles : nil
    let product = MatrixProduct(
      count: 1, rowCount: rows, columnCount: kernel.shape[0], length: kernel.shape[1])
    let sums = product.elements(workers: workers) { _, range in
      let ones = bias.map { _ in ArraySlice(repeating: 1.0, count: range.count) }
      return Vectors(rowsOf: vectors.slice(range, along: 0), after: ones)
    } columns: { _, range in
      Vectors(rowsOf: kernel.slice(range, along: 0), after: bias?[range])
    }
    return [Tensor(input.elementType, shape: try outputShape(of: inputs), sums)]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each element of the output is a sum over all axes of the kernel except the first.
  package var cost: OperatorCost { .products { [$1[0] + $0[1].dropFirst()] } }

  package func permutingAxes(_ axes: [Int]) -> Dense? {
    axes.last == axes.count - 1 ? self : nil
  }
}
