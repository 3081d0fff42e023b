import Bytes
import GraphIR
import LayerCatalog

/// Layers whose operators are defined for floating-point numbers, and which Keras also computes of
/// integers and booleans.
extension KerasLayer {
  /// Adds an operator that selects among the elements of its input. Of integers, the result has their
  /// type.
  mutating func addSelection(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let first = inputs.first, !graph.type(of: first).elementType.isFloat else {
      return try add(operation, inputs, role: role)
    }
    let type = graph.type(of: first).elementType
    guard type.byteCount < 8 else { return try addExactly(operation, of: first) }
    // Both have all of these numbers.
    let wide: ElementType = type.byteCount <= 2 ? .float32 : .float64
    var outputs = try add(operation, try cast(inputs, to: wide), role: role)
    outputs[0] = try add(Cast(to: type), [outputs[0]], role: "integer_output")[0]
    return outputs
  }

  /// Adds an activation function. Integers above or below a bound keep their type; of other
  /// functions that Keras computes of integers, the result is float32.
  mutating func addActivation(
    _ operation: some CatalogOperator, of value: ValueID, role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    let takesValue = (try? operation.outputTypes(of: [graph.type(of: value)])) != nil
    if takesValue { return try add(operation, [value], role: role) }
    if operation is Threshold || operation is HardShrink || (operation as? ReLU)?.slope == 0 {
      return try addSelection(operation, [value], role: role)
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
