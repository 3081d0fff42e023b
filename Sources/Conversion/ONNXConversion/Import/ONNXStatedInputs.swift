import Bytes
import ConversionCore
import GraphIR
import NumPyFormat
import ONNXFormat

/// What a user states for the inputs of a file: sizes that the file leaves open, and values at which
/// inputs are fixed.
struct ONNXStatedInputs {
  private let shapes: [InputShape]
  private let values: [String: InputValue]

  init(_ options: ReadOptions) {
    (shapes, values) = (options.inputShapes, options.fixedInputs)
  }

  /// Whether an input is fixed at a value.
  func isFixed(_ name: String) -> Bool { values[name] != nil }

  /// The value at which an input is fixed; `nil` if there is none.
  func value(of feature: ONNXFeature) throws(WeighbridgeError) -> (text: String, tensor: Tensor)? {
    guard let value = values[feature.name] else { return nil }
    if let problem = feature.problem {
      throw .mismatch("the input \(feature.name) \(problem), and only tensors can be fixed")
    }
    return (value.description, try feature.tensor(value))
  }

  /// Checks the names of the fixed inputs, and gives the inputs the sizes that are stated. A size
  /// for an axis with a name is that of every axis with that name.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an input that the file does not have, and for
  ///   a shape that contradicts the file's, or another input's.
  func apply(to graph: inout ONNXGraph) throws(WeighbridgeError) {
    try checkNames(graph)
    let weights = Set(graph.initializers.map(\.name))
    let names = graph.inputs.map(\.name).filter { !weights.contains($0) && !isFixed($0) }
    let stated = try StatedShapes(shapes, inputs: names)
    var sizes: [String: Int] = [:]
    for index in graph.inputs.indices {
      let feature = graph.inputs[index]
      let type = try stated.applied(to: feature.type, of: feature.name, unstatedAxes: 0)
      for (axis, size) in zip(feature.shape, type.shape) {
        guard case .named(let name) = axis, let size = size.value else { continue }
        let other = sizes.updateValue(size, forKey: name) ?? size
        guard other == size else {
          throw .mismatch("the sizes \(other) and \(size) were given for \(name), which has one")
        }
      }
      graph.inputs[index].shape = ONNXFeature.dimensions(type)
    }
    for index in graph.inputs.indices {
      graph.inputs[index].shape = graph.inputs[index].shape.map { axis in
        guard case .named(let name) = axis, let size = sizes[name] else { return axis }
        return .fixed(size)
      }
    }
  }

  private func checkNames(_ graph: ONNXGraph) throws(WeighbridgeError) {
    let names = Set(graph.inputs.map(\.name))
    guard let name = values.keys.sorted().first(where: { !names.contains($0) }) else { return }
    let list = graph.inputs.prefix(20).map(\.name).joined(separator: ", ")
    throw .mismatch("has no input \(name), which was to be fixed; its inputs are \(list)")
  }
}

extension ONNXFeature {
  /// Returns a value as a tensor of this type. A single number fits any number of axes of size 1.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the type has other elements or another
  ///   shape; what reading a NumPy file throws.
  fileprivate func tensor(_ value: InputValue) throws(WeighbridgeError) -> Tensor {
    if case .file(let path) = value { return try tensor(path: path) }
    guard let stated = value.shape else {
      throw .mismatch("the lists in \(value), for the input \(name), differ in length")
    }
    let isNumber = stated.isEmpty && shape.allSatisfy { $0 == .fixed(1) }
    let sizes = isNumber ? shape.map { _ in 1 } : stated
    try check(sizes, of: "\(value)")
    guard let tensor = value.tensor(elementType, shape: sizes) else {
      throw .mismatch("the input \(name) takes \(elementType.rawValue), which \(value) is not")
    }
    return tensor
  }

  /// Reads the elements of a NumPy file.
  private func tensor(path: String) throws(WeighbridgeError) -> Tensor {
    let arrays = try NumPyFile.read(path: path)
    guard let array = arrays.first, arrays.count == 1 else {
      throw .mismatch(
        "\(path) has \(arrays.count.counted("array")), and the input \(name) is fixed at one")
    }
    try check(array.shape, of: "\(path) with the shape \(array.shape)")
    guard array.elementType == elementType else {
      throw .mismatch(
        "the input \(name) takes \(elementType.rawValue), and \(path) has \(array.elementType.rawValue)"
      )
    }
    return try Tensor(
      elementType, shape: array.shape, store: array.storage, range: array.range)
  }

  private func check(_ sizes: [Int], of what: String) throws(WeighbridgeError) {
    let fits = zip(shape, sizes).allSatisfy { axis, size in
      if case .fixed(let extent) = axis { extent == size } else { true }
    }
    guard sizes.count == shape.count, fits else {
      throw .mismatch("the input \(name) is \(type), and was to be fixed at \(what)")
    }
  }
}
