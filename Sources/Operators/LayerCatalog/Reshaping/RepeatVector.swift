package import Bytes
package import GraphIR

/// Repeats a vector as the steps of a sequence.
///
/// - input: `[batch, features]`
/// - output: `[batch, repeats, features]`
package struct RepeatVector: ExactOperator {
  /// The number of repetitions, 1 to 2^24.
  package let count: Int

  package static let kind = "repeat_vector"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[n, t, f] = input[n, f]",
    of: .any,
    attributes: AttributeSchema(
      Self.init(count:),
      .integer("repeats", \.count, "The number of steps of the output.", .atLeast(1), .sizeLimit)))

  /// Creates the operator.
  package init(count: Int) {
    self.count = count
  }
}

extension RepeatVector {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.rank == 2 else { throw ShapeError("takes [batch, features], not \(input)") }
    return [input.with(shape: [input.shape[0], .fixed(count), input.shape[1]])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let (batch, features) = (inputs[0].shape[0], inputs[0].shape[1])
    return [inputs[0].reshaped([batch, 1, features]).broadcast(to: [batch, count, features])]
  }

  package func permutingAxes(_ axes: [Int]) -> RepeatVector? { nil }

  package var decomposition: Decomposition {
    .nodes { [self] (graph, inputs, source) throws(WeighbridgeError) in
      let sequence = try graph.addNode(
        Reshape(target: [1, -1]), named: "\(source.callName)/reshape", inputs: inputs,
        source: source)
      let upsampling = Upsampling(
        factors: [count], interpolation: .nearest, layout: .channelsLast)
      return try graph.addNode(
        upsampling, named: "\(source.callName)/upsampling", inputs: sequence, source: source)
    }
  }
}
