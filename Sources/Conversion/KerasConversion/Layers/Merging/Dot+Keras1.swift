import Bytes
import GraphIR
import JSON
import LayerCatalog

/// `Merge` of Keras 1 with `mode="cos"`: the cosine of the angle between two vectors,
/// `[batch, 1, 1]`.
extension Dot {
  static let cosine: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let axes = try layer.integers("axes", count: 2, default: [-1, -1])
    let types = inputs.map { layer.graph.type(of: $0) }
    guard inputs.count == 2, types.allSatisfy({ $0.rank == 2 }), axes.allSatisfy([1, -1].contains)
    else {
      throw WeighbridgeError(
        .unsupported, "mode=cos of \(types.map(\.description)) along \(axes); only of two vectors")
    }
    let product = Dot(firstAxis: 1, secondAxis: 1, normalizes: false)
    let first = try layer.add(product, [inputs[0], inputs[0]], role: "first_squared")
    let second = try layer.add(product, [inputs[1], inputs[1]], role: "second_squared")
    let both = try layer.add(Multiply(), first + second, role: "lengths_squared")
    let lengths = try layer.add(UnaryMath(.squareRoot), both, role: "lengths")
    let epsilon = try layer.number("epsilon", 1e-7, like: lengths[0])  // K.epsilon()
    let divisor = try layer.add(Maximum(), lengths + [epsilon], role: "divisor")
    let dot = try layer.add(product, inputs, role: "dot")
    let cosine = try layer.add(BinaryMath(.divide), dot + divisor, role: "cosine")
    return try layer.add(Reshape(target: [1, 1]), cosine)
  }
}
