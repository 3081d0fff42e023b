package import Bytes
package import GraphIR
import JSON

/// For each index a row of a table.
///
/// - input: `[batch, ...]`, numbers of any type whose whole parts are indices
/// - table: `[indices, features]`
/// - output: `[batch, ..., features]`, in the type of the table
///
/// An index outside of the table is an error when the model runs.
package struct Embedding: CatalogOperator {
  package static let kind = "embedding"
  package static let version = 1

  package var inputs: [InputSlot] {
    [.indices("input", below: .size(ofInput: 1, axis: 0)), .weight("table")]
  }

  package var attributes: Attributes { [:] }

  /// Makes the operator.
  package init() {}
}

extension Embedding {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, table) = (inputs[0], inputs[1])
    guard table.rank == 2, table.elementType.isFloat else {
      throw ShapeError("the table \(table) is not [indices, features]")
    }
    return [table.with(shape: input.shape + [table.shape[1]])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let (table, features) = (inputs[1].doubles, inputs[1].shape[1])
    let indices = try inputs[0].indices(below: inputs[1].shape[0])
    let elements = indices.flatMap { table[$0 * features..<($0 + 1) * features] }
    return [Tensor(inputs[1].elementType, shape: shape, elements)]
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  /// The output has another number of axes than the input, so there is no order of both.
  package func permutingAxes(_ axes: [Int]) -> Embedding? { nil }

  package var decomposition: Decomposition { .primitive }

  /// Keras: `Embedding`. Of `input_length` it makes a check of the input only. With `mask_zero`, a
  /// mask travels on beside the output that leaves out each index 0.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "Embedding": { (layer, inputs) throws(WeighbridgeError) in
        let input = try layer.onlyInput(inputs)
        let shape = [try layer.integer("input_dim"), try layer.integer("output_dim")]
        guard shape.allSatisfy({ $0 >= 1 }) else {
          throw WeighbridgeError(.malformed, "input_dim and output_dim are \(shape)")
        }
        layer.ignore("input_length")
        let hasMask = try layer.flag("mask_zero", default: false)
        try layer.require("sparse", toBe: false, because: "sparse tensors cannot be had")
        layer.ignore("lora_rank", "lora_alpha")  // Keras' own files have the sum.
        let outputs: [ValueID]
        if let quantization = try layer.takeQuantization() {
          outputs = [try addQuantized(quantization, to: &layer, input, shape: shape)]
        } else {
          outputs = try layer.add(Embedding(), [input, try layer.weight("table", shape: shape)])
        }
        if hasMask { layer.setMask(try layer.isNotZero(input), of: outputs[0]) }
        return outputs
      },
      "ReversibleEmbedding": reversible,
    ]))
}

extension KerasLayer {
  /// Which elements differ from 0: the mask of indices of which 0 says that there is none.
  mutating func isNotZero(_ input: ValueID) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: input)
    // Each kind of input has its own: the layer may be called with several.
    let zero = try constant(
      "mask_zero_\(type.elementType.rawValue)_\(type.rank)d",
      Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [0]))
    return try add(Comparison(.notEqual), [input, zero], role: "mask")[0]
  }
}
