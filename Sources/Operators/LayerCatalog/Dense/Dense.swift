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
        "the kernel takes \(kernelShape[1]) features, but the input \(input) has "
          + "\(input.shape[input.rank - 1])")
    }
    if hasBias, inputs[2].shape != [.fixed(kernelShape[0])] {
      throw ShapeError("the bias \(inputs[2]) does not fit \(kernelShape[0]) outputs")
    }
    return [input.with(shape: input.shape.dropLast() + [.fixed(kernelShape[0])])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let (input, kernel) = (inputs[0], inputs[1])
    let elements = input.doubles
    let rows = input.shape.dropLast().reduce(1, *)
    let bias = hasBias ? inputs[2].doubles : [Double](repeating: 0, count: kernel.shape[0])
    let starts = Array(stride(from: 0, to: kernel.shape[0], by: Self.blockSize))
    let blocks = workers.map(starts.count) { block in
      let range = starts[block]..<min(starts[block] + Self.blockSize, kernel.shape[0])
      return sums(elements, rows: rows, kernel.slice(range, along: 0), bias[range])
    }
    var outputs: [Double] = []
    outputs.reserveCapacity(rows * kernel.shape[0])
    for row in 0..<rows {
      for (start, sums) in zip(starts, blocks) {
        let width = min(Self.blockSize, kernel.shape[0] - start)
        outputs += sums[row * width..<(row + 1) * width]
      }
    }
    return [Tensor(input.elementType, shape: try outputShape(of: inputs), outputs)]
  }

  /// The number of outputs that are computed together; their rows of the kernel stay in the cache.
  private static let blockSize = 64

  /// Returns the outputs for some rows of the kernel, `[rows, out]`.
  private func sums(
    _ elements: [Double], rows: Int, _ kernel: Tensor, _ bias: ArraySlice<Double>
  ) -> [Double] {
    let (width, features) = (kernel.shape[0], kernel.shape[1])
    let weights = kernel.permuted([1, 0]).doubles
    var result: [Double] = []
    for row in 0..<rows {
      var sums = Array(bias)
      var target = sums.mutableSpan
      for feature in 0..<features {
        let element = elements[row * features + feature]
        let column = weights.span.extracting(feature * width..<(feature + 1) * width)
        for out in 0..<width { target[out] += element * column[out] }
      }
      result += sums
    }
    return result
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each element of the output is a sum over all axes of the kernel except the first.
  package var cost: OperatorCost { .products { [$1[0] + $0[1].dropFirst()] } }

  package func permutingAxes(_ axes: [Int]) -> Dense? {
    axes.last == axes.count - 1 ? self : nil
  }
}
