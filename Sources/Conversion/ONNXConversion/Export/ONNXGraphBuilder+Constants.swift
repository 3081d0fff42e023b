import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Numbers that nodes take as inputs, and what is often made of several nodes.
extension ONNXGraphBuilder {
  /// One number, without axes, in the element type of the first input unless another is given.
  mutating func number(_ number: Double, _ type: ElementType? = nil) -> String {
    constant(Tensor(type ?? elementType, shape: [], [number]))
  }

  /// One number under a name of its own, float32 `[1]`.
  mutating func namedNumber(_ name: String, _ number: Double) -> String {
    weight(named: name, shape: [1], [Tensor(.float32, shape: [1], [number])])
  }

  /// Numbers in a shape, in the element type of the first input unless another is given.
  mutating func numbers(
    _ numbers: [Double], shape: [Int]? = nil, _ type: ElementType? = nil
  ) -> String {
    constant(Tensor(type ?? elementType, shape: shape ?? [numbers.count], numbers))
  }

  /// A list of int64, such as axes and sizes.
  mutating func integers(_ numbers: [Int]) -> String {
    let bytes = numbers.flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return constant(Tensor(.int64, shape: [numbers.count], bytes: bytes))
  }

  /// Puts pairs together, from front to back.
  mutating func chain(_ operation: String, _ inputs: [String]) -> String {
    inputs.dropFirst().reduce(inputs[0]) { add(operation, [$0, $1]) }
  }

  /// The same in another element type.
  mutating func cast(_ input: String, to type: ElementType) -> String {
    add("Cast", [input], ["to": .integer(Int(type.onnxNumber))])
  }

  /// An input as whole numbers that indices can be; a fraction is dropped.
  mutating func indices(_ position: Int) -> String {
    let name = input(position)
    return type(position).elementType == .int64 ? name : cast(name, to: .int64)
  }

  /// Elements along axes made one each, by `ReduceSum`, `ReduceMean` and the like.
  mutating func reduce(
    _ operation: String, _ input: String, _ axes: [Int], keeps: Bool = true
  ) -> String {
    let keeps = ONNXAttribute.integer(keeps ? 1 : 0)
    if operation == "ReduceSum" || opset >= 18 {
      return add(operation, [input, integers(axes)], ["keepdims": keeps])
    }
    return add(operation, [input], ["axes": .integers(axes), "keepdims": keeps])
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

  /// Part of the axes; ends as in Python.
  mutating func slice(
    _ input: String, axes: [Int], from starts: [Int], to ends: [Int], steps: [Int]? = nil
  ) -> String {
    let lists = [starts, ends, axes] + (steps.map { [$0] } ?? [])
    return add("Slice", [input] + lists.map { integers($0) })
  }

  /// The sizes of a value, int64, from one axis up to another.
  mutating func dimensions(_ input: String, _ axes: Range<Int>? = nil) -> String {
    let shape = add("Shape", [input])
    guard let axes else { return shape }
    return slice(shape, axes: [0], from: [axes.lowerBound], to: [axes.upperBound])
  }

  /// Sizes as they stand in a type, where all are known, else as they are when the model runs.
  ///
  /// - Parameter input: A value of that type.
  mutating func dimensions(_ input: String, _ type: TensorType, _ axes: Range<Int>) -> String {
    let known = type.shape[axes].compactMap(\.value)
    return known.count == axes.count ? integers(known) : dimensions(input, axes)
  }

  mutating func concatenate(_ inputs: [String], axis: Int) -> String {
    inputs.count == 1 ? inputs[0] : add("Concat", inputs, ["axis": .integer(axis)])
  }

  /// A weight of one axis, put along one of `rank` axes.
  mutating func alongAxis(
    _ position: Int, _ axes: [Int], rank: Int
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
