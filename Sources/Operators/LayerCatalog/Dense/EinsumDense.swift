package import Bytes
package import GraphIR

/// A fully connected layer along any axes: for each index of the output's axes, the sum of the
/// products of input and kernel over the axes that the output lacks, plus the bias. Axes with the
/// same letter share an index.
///
/// - input: axes `input`, floating-point numbers
/// - kernel: axes `kernel`: those shared with the output, in the output's order, then those that
///   are summed over, in the input's order
/// - bias: axes `bias`, in the output's order
/// - output: axes `output`
///
/// For example, the input `abc`, the output `abd`, the kernel `dc` and the bias `d` are a dense
/// layer for each time step. Letters are assigned in order: first to the input's axes, then to the
/// output's new ones.
package struct EinsumDense: CatalogOperator {
  /// The input's axes.
  package let input: AxisLabels
  /// The kernel's axes.
  package let kernel: AxisLabels
  /// The output's axes.
  package let output: AxisLabels
  /// The bias' axes; empty when there is no bias.
  package let bias: AxisLabels

  package static let kind = "einsum_dense"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[letters of output] = bias[letters of bias] +
      sum over all letters that output lacks of input[letters of input] * kernel[letters of \
    kernel]
    """,
    inputs: [
      .data("input", .float), .weight("kernel"), .weight("bias", .unless("bias", [.string("")])),
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(input:kernel:output:bias:),
      .string(
        "input", \.input, "A letter for each axis of the input: a, b, c, ...",
        .rule(
          "the letters of input, then those that only output has, are a, b, c, ... in order")),
      .string(
        "kernel", \.kernel, "A letter for each axis of the kernel.",
        .rule(
          """
          those it shares with output, in the order of output, then those it shares with input \
          only, in the order of input; no others
          """)),
      .string(
        "output", \.output, "A letter for each axis of the output.",
        .rule("each letter also occurs in input or kernel")),
      .string(
        "bias", \.bias,
        """
        A letter for each axis of the bias; empty without a bias.
        """, .rule("letters of output, in their order"))))

  /// Creates the operator.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the axes do not fit together.
  package init(
    input: AxisLabels, kernel: AxisLabels, output: AxisLabels, bias: AxisLabels
  ) throws(WeighbridgeError) {
    self.input = input
    self.kernel = kernel
    self.output = output
    self.bias = bias
    if let problem { throw .malformed(problem) }
  }
}

extension EinsumDense {
  /// Why the axes do not fit together, if they do not.
  private var problem: String? {
    let (inputLetters, kernelLetters) = (Set(input.letters), Set(kernel.letters))
    let all = input.letters + output.letters.filter { !inputLetters.contains($0) }
    guard all == (0..<all.count).map({ Character(UnicodeScalar(UInt8(97 + $0))) }) else {
      return "the axes \(input.rawValue) -> \(output.rawValue) are not lettered in order"
    }
    guard
      output.letters.allSatisfy({ inputLetters.contains($0) || kernelLetters.contains($0) }),
      kernel.letters == Self.canonical(kernelLetters, input, output)
    else {
      return "the kernel's axes \(kernel.rawValue) do not fit "
        + "\(input.rawValue) -> \(output.rawValue)"
    }
    guard bias.letters == output.letters.filter(Set(bias.letters).contains) else {
      return "the bias' axes \(bias.rawValue) are not some of \(output.rawValue), in their order"
    }
    return nil
  }

  /// Returns the kernel's axes in canonical order.
  package static func canonical(
    _ kernel: Set<Character>, _ input: AxisLabels, _ output: AxisLabels
  ) -> [Character] {
    let shared = output.letters.filter(kernel.contains)
    return shared + input.letters.filter { kernel.contains($0) && !shared.contains($0) }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat else {
      throw ShapeError("takes floating-point numbers, not \(inputs[0])")
    }
    var dimensions: [Character: Dimension] = [:]
    for (labels, type) in zip([input, kernel], inputs) {
      guard type.rank == labels.letters.count else {
        throw ShapeError("takes the axes \(labels.rawValue), not \(type)")
      }
      for (letter, dimension) in zip(labels.letters, type.shape) {
        let other = dimensions[letter] ?? dimension
        guard other.agrees(with: dimension) else {
          throw ShapeError("input \(inputs[0]) and kernel \(inputs[1]) differ along \(letter)")
        }
        dimensions[letter] = other.merged(with: dimension)
      }
    }
    let result = inputs[0].with(shape: output.letters.map { dimensions[$0] ?? .unknown })
    guard inputs.count == 3 else { return [result] }
    guard inputs[2].rank == bias.letters.count,
      zip(bias.letters, inputs[2].shape).allSatisfy({ (dimensions[$0] ?? $1).agrees(with: $1) })
    else { throw ShapeError("the bias \(inputs[2]) does not fit \(bias.rawValue) of \(result)") }
    return [result]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let contraction = EinsumContraction(input: input, kernel: kernel, output: output)
    let sums = contraction.apply(to: inputs[0], inputs[1], workers: workers)
    guard inputs.count == 3 else {
      return [Tensor(inputs[0].elementType, shape: sums.shape, sums.doubles)]
    }
    // Gives the bias the output's axes, with size 1 along those that it lacks.
    let dimensions = output.letters.map { letter in
      bias.letters.firstIndex(of: letter).map { inputs[2].shape[$0] } ?? 1
    }
    let addends = inputs[2].reshaped(dimensions).broadcast(to: shape).doubles
    let numbers = zip(sums.doubles, addends).map { $0 + $1 }
    return [Tensor(inputs[0].elementType, shape: shape, numbers)]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each element of the output is a sum over the axes that it lacks.
  package var cost: OperatorCost {
    .products { [input, output] inputs, outputs in
      let summed = zip(input.letters, inputs[0]).filter { !output.letters.contains($0.0) }
      return [outputs[0] + summed.map(\.1)]
    }
  }

  package func permutingAxes(_ axes: [Int]) -> EinsumDense? {
    axes == Array(axes.indices) && axes.count == output.letters.count ? self : nil
  }

  /// A dense layer along the last axis, between transposes; none if the kernel shares an axis with
  /// both the input and the output.
  package var decomposition: Decomposition {
    let (input, output) = (input.letters, output.letters)
    let kept = input.filter { output.contains($0) }
    let summed = input.filter { !output.contains($0) }
    let new = output.filter { !input.contains($0) }
    guard kernel.letters == new + summed, !kept.isEmpty else { return .primitive }
    return Composition.of { [self] (make) throws(WeighbridgeError) in
      let sizes = try make.sizes(make.inputs[1])
      let inner = sizes.suffix(summed.count).reduce(1, *)
      let order = (kept + summed).compactMap { input.firstIndex(of: $0) }
      let leading = kept.indices.map { ReshapeAxes.Size.axis($0) }
      let rows = try make(
        ReshapeAxes(leading + [.fixed(inner)]), try make.transposed(make.inputs[0], order))
      let matrix = try make(
        ReshapeAxes([.fixed(sizes.prefix(new.count).reduce(1, *)), .fixed(inner)]), make.inputs[1])
      let product = try make(Dense(hasBias: false), rows, matrix)
      let reshaped = try make(
        ReshapeAxes(leading + sizes.prefix(new.count).map { .fixed($0) }), product)
      let result = try make.transposed(
        reshaped, output.compactMap { (kept + new).firstIndex(of: $0) })
      guard !bias.letters.isEmpty else { return result }
      let axes = bias.letters.compactMap { output.firstIndex(of: $0) }
      return try make.sum(result, try make.aligned(make.inputs[2], to: axes, of: result))
    }
  }
}
