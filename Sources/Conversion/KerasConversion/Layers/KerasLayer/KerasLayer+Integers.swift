import Bytes
import GraphIR
import LayerCatalog

/// Layers whose operators are defined for floating-point numbers, and which Keras also computes of
/// integers and booleans.
extension KerasLayer {
  /// Adds what selects among the elements of integers, so that the result has their type.
  ///
  /// - Parameter build: Adds the nodes for floating-point inputs.
  mutating func selecting(
    _ inputs: [ValueID], _ build: KerasMapping.Build
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let first = inputs.first, !graph.type(of: first).elementType.isFloat else {
      return try build(&self, inputs)
    }
    let type = graph.type(of: first).elementType
    // Both have all of these numbers; of 64 bits, those up to 2^53.
    let wide: ElementType = type.byteCount <= 2 ? .float32 : .float64
    let results = try build(&self, try cast(inputs, to: wide))
    var outputs: [ValueID] = []
    for (index, result) in results.enumerated() {
      let role = index == 0 ? "integer_output" : "integer_output_\(index)"
      // Beyond 2^53, the nearest number may be beyond the largest one.
      let overflow: IntegerOverflow? = type.byteCount == 8 ? .saturate : nil
      outputs.append(try add(Cast(to: type, overflow: overflow), [result], role: role)[0])
      keepMask(from: result, to: [outputs[index]])
    }
    return outputs
  }

  /// Adds an activation function. Integers above or below a bound keep their type; of other functions
  /// that Keras computes of integers, the result is float32.
  mutating func addActivation(
    _ operation: some CatalogOperator, of value: ValueID, role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    let takesValue = (try? operation.outputTypes(of: [graph.type(of: value)])) != nil
    if takesValue { return try add(operation, [value], role: role) }
    if operation is Threshold || (operation as? ReLU)?.slope == 0 {
      return try selecting([value]) { (layer, inputs) throws(WeighbridgeError) in
        try layer.add(operation, inputs, role: role)
      }
    }
    return try add(operation, try cast([value], to: .float32), role: role)
  }

  /// Casts those inputs that are not floating-point numbers.
  mutating func cast(
    _ inputs: [ValueID], to type: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    var values: [ValueID] = []
    for (index, input) in inputs.enumerated() {
      let isFloat = graph.type(of: input).elementType.isFloat
      let role = index == 0 ? "float_input" : "float_input_\(index)"
      values.append(isFloat ? input : try cast(input, to: type, role: role))
    }
    return values
  }

  /// Adds a mean of integers, which TensorFlow rounds towards 0. It adds them in 64 bits.
  ///
  /// - Parameter axes: Axes of known size.
  mutating func addIntegerMean(
    of input: ValueID, axes: [Int], keepDims: Bool
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: input)
    let count = try dimensions(axes, of: type).reduce(1, *)
    let numbers = try cast(input, to: .int64, role: "wide")
    let sum = try add(
      Reduce(.sum, axes: axes, keepDims: keepDims, overflow: .wrap), [numbers], role: "sum")
    let shape = [Int](repeating: 1, count: graph.type(of: sum[0]).rank)
    let divisor = try constant("count", Tensor(.int64, shape: shape, [Double(count)]))
    let rest = try add(
      BinaryMath(.truncatedModulo, overflow: .wrap), sum + [divisor], role: "remainder")
    let whole = try add(Subtract(overflow: .wrap), sum + rest, role: "multiple")
    let mean = try add(
      BinaryMath(.floorDivide, overflow: .wrap), whole + [divisor], role: "wide_mean")
    return try add(Cast(to: type.elementType, overflow: .wrap), mean)
  }
}
