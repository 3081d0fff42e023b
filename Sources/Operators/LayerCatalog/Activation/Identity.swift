package import Bytes
package import GraphIR

/// The input, unchanged.
///
/// Any shape and element type; the output has the same.
package struct Identity: ElementwiseOperator, CompositeOperator {
  /// What is done to the input in training, and only then; `nil` for nothing.
  package let noise: TrainingNoise?

  package static let kind = "identity"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x",
    of: .any,
    attributes: AttributeSchema(Self.init(noise:), .part(\.noise, TrainingNoise.schema)))

  /// Creates the operator.
  package init(noise: TrainingNoise? = nil) { self.noise = noise }
}

extension Identity {
  package func permutingAxes(_ axes: [Int]) -> Identity? {
    Identity(noise: noise?.permutingAxes(axes))
  }

  /// No nodes: the output is the input.
  package func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    let type = make.type(make.inputs[0])
    if let axis = noise?.sharedAxes.last, axis >= type.rank {
      throw .malformed("shared_axes has \(axis), expected an axis of \(type)")
    }
    return make.inputs
  }
}
