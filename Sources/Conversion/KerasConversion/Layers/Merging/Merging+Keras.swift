import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Add: KerasMapped {
  /// Keras: `Add`.
  static let keras = KerasMapping([
    .merging("Add") { (layer, inputs) throws(WeighbridgeError) in
      try layer.add(Add(), try layer.addends(try layer.aligned(inputs)))
    }
  ])
  static let kerasRow = layer("Add", .add)
}

extension Average: KerasMapped {
  /// Keras: `Average`. Of integers, it is the sum, which wraps, divided as floating-point numbers.
  static let keras = KerasMapping([
    .merging("Average") { (layer, inputs) throws(WeighbridgeError) in
      let inputs = try layer.aligned(inputs)
      let type = layer.graph.type(of: inputs[0]).elementType
      guard type.isInteger else { return try layer.add(Average(), inputs) }
      let sum = try layer.add(Add(overflow: .wrap), inputs, role: "sum")
      // As TensorFlow's true division does.
      let quotient: ElementType = type.byteCount <= 2 ? .float32 : .float64
      let value = try layer.cast(sum[0], to: quotient, role: "float_sum")
      let shape = [Int](repeating: 1, count: layer.graph.type(of: value).rank)
      let count = try layer.constant(
        "count", Tensor(quotient, shape: shape, [Double(inputs.count)]))
      return try layer.add(BinaryMath(.divide), [value, count])
    }
  ])
  static let kerasRow = nativeRow { (_, builder) throws(WeighbridgeError) in
    guard builder.operands.allSatisfy({ $0.constant == nil }) else { return nil }
    return try builder.layer("Average", [:], builder.operands)
  }
}

extension Maximum: KerasMapped {
  /// Keras: `Maximum`, which excludes masked steps from 3.4 on.
  static let keras = KerasMapping([
    .merging("Maximum") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addExtremum(Maximum(), inputs)
    }
  ])
  static let kerasRow = layer("Maximum", .maximum)
}

extension Minimum: KerasMapped {
  /// Keras: `Minimum`, which excludes masked steps from 3.4 on.
  static let keras = KerasMapping([
    .merging("Minimum") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addExtremum(Minimum(), inputs)
    }
  ])
  static let kerasRow = layer("Minimum", .minimum)
}

extension Subtract: KerasMapped {
  /// Keras: `Subtract`.
  static let keras = KerasMapping([.merging("Subtract", Subtract().merged)])
  static let kerasRow = layer("Subtract", .subtract)
}

extension Multiply: KerasMapped {
  /// Keras: `Multiply`, which excludes masked steps from 3.4 on, and `LayerScale` of its ConvNeXt
  /// models, which multiplies by a weight.
  static let keras = KerasMapping([
    .merging("Multiply") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addProduct(of: inputs)
    },
    .plain("LayerScale") { (layer, inputs) throws(WeighbridgeError) in
      let (input, type) = try layer.typedInput(inputs)
      layer.ignore("init_values")
      let count = try layer.integer("projection_dim")
      guard count >= 1, type.rank >= 1 else {
        throw .malformed("projection_dim=\(count) of \(type), expected at least 1")
      }
      let ones = [Int](repeating: 1, count: type.rank - 1)
      let gamma = try layer.weight("gamma", shape: [count]) { $0.reshaped(ones + [count]) }
      return try layer.add(Multiply(), [input, gamma])
    },
  ])
  static let kerasRow = layer("Multiply", .multiply)
}

extension PlainOperator {
  /// Builds a layer that consists of this operator alone.
  fileprivate var merged: KerasMapping.Build {
    { (layer, inputs) throws(WeighbridgeError) in
      try layer.add(self, try layer.aligned(inputs))
    }
  }

  /// Creates a row that adds the layer, or a chain of functions of two tensors where the layer is not
  /// possible.
  fileprivate static func layer(_ className: String, _ function: KerasFunctionForm) -> KerasRow? {
    KerasRow(Self.self) { (_, builder) throws(WeighbridgeError) in
      try builder.merged(className, function)
    }
  }
}

extension KerasModelBuilder {
  /// Adds a layer that merges its inputs, or a chain of functions where the inputs include
  /// constants, integers or batches of different sizes.
  fileprivate mutating func merged(
    _ className: String, _ function: KerasFunctionForm
  ) throws(WeighbridgeError) -> KerasValue {
    // Keras' layers refuse batches of different sizes.
    let batches = Set(operands.compactMap { $0.type.shape.first?.value })
    guard
      operands.contains(where: { $0.constant != nil }) || !type().elementType.isFloat
        || batches.count > 1
    else { return try layer(className, [:], operands) }
    return try chain(function)
  }
}

extension KerasLayer {
  /// Casts values to the type that Keras 3 gives them together; in Keras 2 all have one type.
  mutating func promoted(_ values: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    guard version.major >= 3, let first = values.first else { return values }
    var type = graph.type(of: first).elementType
    for value in values {
      type = ElementType.promoted(type, graph.type(of: value).elementType)
    }
    let result = try values.enumerated().map { (index, value) throws(WeighbridgeError) in
      try cast(value, to: type, role: "input_cast_\(index)")
    }
    return result
  }

  /// Gives the inputs a common type, if there are two, and expands them to a common rank.
  ///
  /// An input of lower rank gets axes of size 1 after the batch, as in Keras: `[batch, channels]`
  /// becomes `[batch, 1, 1, channels]`.
  mutating func aligned(_ inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    // Of three, Keras adds the first two in their own type.
    let inputs = inputs.count == 2 ? try promoted(inputs) : inputs
    let rank = inputs.map { graph.type(of: $0).rank }.max() ?? 0
    var aligned: [ValueID] = []
    for input in inputs {
      let missing = rank - graph.type(of: input).rank
      let expansion = ExpandDims(axes: Array(1..<missing + 1))
      aligned +=
        missing == 0 ? [input] : try add(expansion, [input], role: "expand_dims")
    }
    return aligned
  }
}
