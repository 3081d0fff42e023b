package import Bytes
package import GraphIR

/// The product of tensors, element by element.
///
/// - inputs: two or more of one rank; along each axis the sizes are equal or 1
/// - output: along each axis the size that is not 1, if there is one
package struct Multiply: BroadcastingOperator {
  package static let kind = "multiply"
  package static let version = 1

  /// Makes the operator.
  package init() {}
}

extension Multiply {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }

  package func combine(_ element: Double, _ next: Double) -> Double { element * next }

  package var decomposition: Decomposition { .primitive }

  /// Keras: `Multiply`, which from 3.4 on leaves out the steps that a mask leaves out, and
  /// `LayerScale` of its ConvNeXt models, which multiplies by a weight.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "Multiply": { (layer, inputs) throws(WeighbridgeError) in
        try layer.addProduct(of: inputs)
      },
      "LayerScale": { (layer, inputs) throws(WeighbridgeError) in
        let input = try layer.onlyInput(inputs)
        let type = layer.graph.type(of: input)
        layer.ignore("init_values")
        let count = try layer.integer("projection_dim")
        guard count >= 1, type.rank >= 1 else {
          throw WeighbridgeError(.malformed, "projection_dim=\(count) of \(type)")
        }
        let ones = [Int](repeating: 1, count: type.rank - 1)
        let gamma = try layer.weight("gamma", shape: [count]) { $0.reshaped(ones + [count]) }
        return try layer.add(Multiply(), [input, gamma])
      },
    ]))
}
