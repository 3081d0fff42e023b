package import Bytes
package import GraphIR

/// Attention whose query and key are compared after adding them (Bahdanau et al. 2015).
///
/// - query: `[batch, queries, features]`
/// - value: `[batch, values, out]`
/// - key: `[batch, values, features]`
/// - scale: `[features]` s; 1 for each when there is none
/// - output: `[batch, queries, out]`, the values weighted by the softmax over all of them of the
///   scores: the sum over the features of s tanh(q + k)
package struct AdditiveAttention: AttentionOperator {
  /// Whether there is a scale.
  package let hasScale: Bool

  package static let kind = "additive_attention"
  package static let version = 1

  package var weightSlots: [InputSlot] { hasScale ? [.weight("scale")] : [] }

  package var attributes: Attributes { ["scale": .flag(hasScale)] }

  /// Makes the operator.
  package init(hasScale: Bool) { self.hasScale = hasScale }
}

extension AdditiveAttention {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    hasScale = try attributes.flag("scale")
  }

  package func checkWeights(
    _ weights: [TensorType], features: Dimension
  ) throws(ShapeError) {
    for weight in weights {
      guard weight.rank == 1, weight.shape[0].agrees(with: features) else {
        throw ShapeError("the scale \(weight) does not fit \(features) features")
      }
    }
  }

  package func score(
    _ query: ArraySlice<Double>, _ key: ArraySlice<Double>, _ weights: [[Double]]
  ) -> Double {
    zip(query, key).enumerated().reduce(0) { sum, pair in
      let scale = hasScale ? weights[0][pair.offset] : 1
      return sum + scale * (pair.element.0 + pair.element.1).hyperbolicTangent
    }
  }

  /// Keras: `AdditiveAttention(use_scale=True)`.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "AdditiveAttention": { (layer, inputs) throws(WeighbridgeError) in
        let inputs = try layer.attentionInputs(inputs)
        let operation = AdditiveAttention(
          hasScale: try layer.flag("use_scale", default: true))
        let type = layer.graph.type(of: inputs[0])
        guard operation.hasScale else { return try layer.add(operation, inputs) }
        guard type.rank == 3 else {
          throw WeighbridgeError(.unsupported, "takes queries of three axes and has \(type)")
        }
        let scale = try layer.weight("scale", shape: try layer.extents([2], of: type))
        return try layer.add(operation, inputs + [scale])
      }
    ]))
}
