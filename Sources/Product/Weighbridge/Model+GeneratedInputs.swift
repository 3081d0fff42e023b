public import Bytes
public import GraphIR

extension Model {
  /// Generates inputs for trying out the model.
  ///
  /// ```swift
  /// let outputs = try model.run(try model.generatedInputs(.random(seed: 1))).outputs
  /// ```
  ///
  /// Unknown dimensions are 1 in the batch and 32 elsewhere. Integers stay within what the model
  /// accepts, as far as its layers determine it, such as the rows of an embedding.
  ///
  /// - Parameter numbers: The values to generate.
  /// - Returns: One array for each input, in the model's order.
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` for an input of more than 2^28 elements.
  public func generatedInputs(
    _ numbers: GeneratedNumbers
  ) throws(WeighbridgeError) -> [NamedTensor] {
    let tensors = try content.graph.generatedInputs(numbers)
    return zip(inputs, tensors).map { NamedTensor(name: $0.name, tensor: $1) }
  }
}
