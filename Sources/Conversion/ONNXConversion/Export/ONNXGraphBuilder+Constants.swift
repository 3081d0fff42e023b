import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Constant inputs of nodes, and operations that often become several nodes.
extension ONNXGraphBuilder {
  /// Adds a scalar, in the element type of the first input unless another is given.
  mutating func number(_ number: Double, _ type: ElementType? = nil) -> String {
    constant(Tensor(type ?? elementType, shape: [], [number]))
  }

  /// Adds a number as a weight with a given name, float32 `[1]`.
  mutating func namedNumber(_ name: String, _ number: Double) -> String {
    weight(named: name, shape: [1], [Tensor(.float32, shape: [1], [number])])
  }

  /// Adds numbers in a shape, in the element type of the first input unless another is given.
  mutating func numbers(
    _ numbers: [Double], shape: [Int]? = nil, _ type: ElementType? = nil
  ) -> String {
    constant(Tensor(type ?? elementType, shape: shape ?? [numbers.count], numbers))
  }

  /// Adds a list of int64, such as axes and sizes.
  mutating func integers(_ numbers: [Int]) -> String {
    let bytes = numbers.flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return constant(Tensor(.int64, shape: [numbers.count], bytes: bytes))
  }

  /// Combines the inputs from first to last with a node of two inputs.
  mutating func chain(_ operation: String, _ inputs: [String]) -> String {
    inputs.dropFirst().reduce(inputs[0]) { add(operation, [$0, $1]) }
  }

  /// Casts to another element type.
  mutating func cast(_ input: String, to type: ElementType) -> String {
    add("Cast", [input], ["to": .integer(Int(type.onnxNumber))])
  }

  /// Returns an input as int64 indices; fractions are truncated.
  mutating func indices(_ position: Int) -> String {
    let name = input(position)
    return type(position).elementType == .int64 ? name : cast(name, to: .int64)
  }

  /// Reduces axes with `ReduceSum`, `ReduceMean` or a similar operator.
  mutating func reduce(
    _ operation: String, _ input: String, _ axes: [Int], keepDims: Bool = true
  ) -> String {
    let keepDims = ONNXAttribute.integer(keepDims ? 1 : 0)
    if operation == "ReduceSum" || opset >= 18 {
      return add(operation, [input, integers(axes)], ["keepdims": keepDims])
    }
    return add(operation, [input], ["axes": .integers(axes), "keepdims": keepDims])
  }

  mutating func transpose(_ input: String, _ axes: [Int]) -> String {
    axes == Array(axes.indices) ? input : add("Transpose", [input], ["perm": .integers(axes)])
  }

  mutating func unsqueeze(_ input: String, _ axes: [Int]) -> String {
    axes.isEmpty ? input : add("Unsqueeze", [input, integers(axes)])
  }

  mutating func squeeze(_ input: String, _ axes: [Int]) -> String {
    axes.isEmpty ? input : add("Squeeze", [input, integers(axes)])
  }

  mutating func reshape(_ input: String, _ shape: [Int]) -> String {
    add("Reshape", [input, integers(shape)])
  }

  /// Adds a slice along some axes, with ends as in Python.
  mutating func slice(
    _ input: String, axes: [Int], from starts: [Int], to ends: [Int], steps: [Int]? = nil
  ) -> String {
    let lists = [starts, ends, axes] + (steps.map { [$0] } ?? [])
    return add("Slice", [input] + lists.map { integers($0) })
  }

  /// Adds the dimensions of a value, int64, for a range of axes.
  mutating func dimensions(_ input: String, _ axes: Range<Int>? = nil) -> String {
    let shape = add("Shape", [input])
    guard let axes else { return shape }
    return slice(shape, axes: [0], from: [axes.lowerBound], to: [axes.upperBound])
  }

  /// Adds the dimensions of a type: as a constant where all are known, otherwise computed when the
  /// model runs.
  ///
  /// - Parameter input: A value of that type.
  mutating func dimensions(_ input: String, _ type: TensorType, _ axes: Range<Int>) -> String {
    let known = type.shape[axes].compactMap(\.value)
    return known.count == axes.count ? integers(known) : dimensions(input, axes)
  }

  mutating func concatenate(_ inputs: [String], axis: Int) -> String {
    inputs.count == 1 ? inputs[0] : add("Concat", inputs, ["axis": .integer(axis)])
  }

  /// Returns a weight that broadcasts to `rank` axes: the weight's axes become the given ones, and
  /// the others have size 1.
  mutating func broadcastableWeight(
    _ position: Int, along axes: [Int], rank: Int
  ) throws(WeighbridgeError) -> String {
    let tensor = try tensor(position)
    var shape = [Int](repeating: 1, count: rank)
    for (axis, dimension) in zip(axes, tensor.shape) { shape[axis] = dimension }
    if let first = axes.first { shape.removeFirst(first) }
    if shape == tensor.shape { return input(position) }
    let role = shape.map(String.init).joined(separator: "x")
    return try weight(position, role, shape: shape)
  }
}
