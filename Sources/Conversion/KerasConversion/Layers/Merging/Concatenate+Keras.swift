import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Concatenate: KerasMapped {
  /// Keras: `Concatenate(axis=-1)`.
  static let keras = KerasMapping([
    KerasLayerClass("Concatenate", masks: .handledByBuilder, casts: .floats, shape: .unknown) {
      (layer, inputs) throws(WeighbridgeError) in
      guard let first = inputs.first else { throw .malformed("has no inputs") }
      let written = try layer.integer("axis", default: -1)
      let axis = try KerasLayer.axis(written, of: layer.graph.type(of: first))
      let inputs = try layer.promoted(inputs)
      let outputs = try layer.add(Concatenate(axis: axis), inputs)
      layer.setMask(try layer.concatenatedMask(inputs, axis: axis), of: outputs[0])
      return outputs
    }
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    guard builder.format == .archive || builder.operands.allSatisfy({ $0.constant == nil }) else {
      throw .unsupported("Keras 2.15 does not load a Concatenate of constants")
    }
    return try builder.layer("Concatenate", ["axis": .integer(operation.axis)], builder.operands)
  }
}

extension Dot: KerasMapped {
  /// Keras: `Dot(axes, normalize=False)`, where `axes` is one number for both inputs or one for
  /// each; Keras 1: `Merge` with `mode="cos"`.
  static let keras = KerasMapping([.plain("Dot", add), .plain("Merge (Keras 1)", cosine)])
  static let kerasRow = nativeRow { (operation, builder) throws(WeighbridgeError) in
    if operation.normalizes, builder.format == .tensorFlowJS {
      builder.note("vectors shorter than 0.0003 are divided by 0.0003 in TensorFlow.js")
    } else if operation.normalizes {
      let leastSum = operation.normalization(along: operation.firstAxis).leastSum
      guard leastSum == Self.leastSum(inKeras3: builder.format == .archive) else { return nil }
    }
    return try builder.layer(
      "Dot",
      [
        "axes": .integers([operation.firstAxis, operation.secondAxis]),
        "normalize": .bool(operation.normalizes),
      ], [builder[0], builder[1]])
  }

  /// The least sum of squares by which Keras scales: Keras 3 bounds the norm by 1e-7.
  private static func leastSum(inKeras3: Bool) -> Double { inKeras3 ? 1e-14 : 1e-12 }

  private static let add: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    guard inputs.count == 2 else { throw .malformed("takes two inputs and has \(inputs.count)") }
    let types = inputs.map { layer.graph.type(of: $0) }
    // Up to the Keras of TensorFlow 2.3, further axes were multiplied in pairs.
    guard types.allSatisfy({ $0.rank <= 3 }) || layer.version >= KerasVersion(2, 4) else {
      throw .unsupported(
        "multiplies \(types[0]) and \(types[1]), which Keras \(layer.version) does in a way "
          + "of its own beyond 3 axes")
    }
    let written = try layer.integers("axes", count: 2)
    let normalizes = try layer.flag("normalize", default: false)
    let operation = Dot(
      firstAxis: try KerasLayer.axis(written[0], of: types[0]),
      secondAxis: try KerasLayer.axis(written[1], of: types[1]),
      normalizes: normalizes,
      epsilon: normalizes ? leastSum(inKeras3: layer.version.major >= 3) : nil)
    guard operation.firstAxis >= 1, operation.secondAxis >= 1 else {
      throw .malformed("axes=\(written), and axis 0 is the batch")
    }
    let type = types[0].elementType
    if type.isFloat != types[1].elementType.isFloat {
      return try layer.add(operation, try layer.promoted(inputs))
    }
    // Quotients of integers are fractions. Since Keras 3.6 TensorFlow refuses to compute them.
    if normalizes, !type.isFloat {
      return try layer.add(operation, layer.cast(inputs, to: .float32))
    }
    // Keras 3 multiplies integers as numbers of 32 bits, but for int8, whose products it widens.
    guard layer.version.major >= 3, !type.isFloat, type != .int8, type == types[1].elementType
    else { return try layer.add(operation, inputs) }
    let product = try layer.add(operation, layer.cast(inputs, to: .float32), role: "product")
    return try layer.add(Cast(to: type), product)
  }

  /// `Merge` of Keras 1 with `mode="cos"`: the cosine of the angle between two vectors,
  /// `[batch, 1, 1]`.
  private static let cosine: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let axes = try layer.integers("axes", count: 2, default: [-1, -1])
    let types = inputs.map { layer.graph.type(of: $0) }
    guard inputs.count == 2, types.allSatisfy({ $0.rank == 2 }), axes.allSatisfy([1, -1].contains)
    else {
      throw .unsupported(
        "mode=cos of \(types.map(\.description)) along \(axes); only of two vectors")
    }
    let product = Dot(firstAxis: 1, secondAxis: 1, normalizes: false)
    let firstSquare = try layer.add(product, [inputs[0], inputs[0]], role: "first_squared")
    let secondSquare = try layer.add(product, [inputs[1], inputs[1]], role: "second_squared")
    let squaredProduct = try layer.add(
      Multiply(), firstSquare + secondSquare, role: "lengths_squared")
    let norms = try layer.add(UnaryMath(.squareRoot), squaredProduct, role: "lengths")
    let epsilon = try layer.number("epsilon", 1e-7, like: norms[0])  // K.epsilon()
    let denominator = try layer.add(Maximum(), norms + [epsilon], role: "divisor")
    let dot = try layer.add(product, inputs, role: "dot")
    let cosine = try layer.add(BinaryMath(.divide), dot + denominator, role: "cosine")
    return try layer.add(Reshape(target: [1, 1]), cosine)
  }
}
