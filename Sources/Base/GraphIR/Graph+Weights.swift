package import Bytes

extension Graph {
  /// The same graph with other weights.
  ///
  /// - Parameter weights: One for each of the graph's weights, with the same name and shape, and
  ///   with the same type or one whose elements the graph's floating-point type represents exactly.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when one is missing, extra, or has another shape
  ///   or type.
  package func replacingWeights(
    _ weights: [(name: String, tensor: Tensor)]
  ) throws(WeighbridgeError) -> Graph {
    var remaining = Dictionary(
      weights.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    let missing = values.filter { $0.constant != nil && remaining[$0.name] == nil }
    if let first = missing.first {
      let others = missing.count == 1 ? "" : " and \((missing.count - 1).counted("other"))"
      throw .mismatch("has no weight \(first.name)\(others), which the architecture has")
    }
    var replaced: [Value] = []
    for value in values {
      guard value.constant != nil, let weight = remaining.removeValue(forKey: value.name) else {
        replaced.append(value)
        continue
      }
      let converted = try locating({ $0.at(.path(value.name)) }) { () throws(WeighbridgeError) in
        try weight.converted(to: value.type)
      }
      replaced.append(Value(name: value.name, type: value.type, constant: converted))
    }
    if let name = remaining.keys.min() {
      let others = remaining.count == 1 ? "" : " and \((remaining.count - 1).counted("other"))"
      throw .mismatch("has a weight \(name)\(others), that the architecture does not have")
    }
    return Graph(values: replaced, nodes: nodes, inputs: inputs, outputs: outputs)
  }

  /// The same graph with some computed values replaced by constants.
  ///
  /// - Parameter constants: Tensors whose types agree with the values'.
  package func settingConstants(_ constants: [ValueID: Tensor]) -> Graph {
    let newValues = values.enumerated().map { index, value in
      constants[ValueID(index)].map { Value(name: value.name, type: $0.type, constant: $0) }
        ?? value
    }
    return Graph(values: newValues, nodes: nodes, inputs: inputs, outputs: outputs)
  }

  /// The graph with more values after its own, which none of its nodes uses.
  package func addingValues(_ others: [Value]) -> Graph {
    Graph(values: values + others, nodes: nodes, inputs: inputs, outputs: outputs)
  }
}

extension Tensor {
  /// The tensor in a floating-point type that represents each of its elements exactly.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when shapes differ or the type cannot represent
  ///   them.
  fileprivate func converted(to type: TensorType) throws(WeighbridgeError) -> Tensor {
    guard type.fixedShape == shape else {
      throw .mismatch("has the shape \(shape), but the architecture \(type.shape)")
    }
    if elementType == type.elementType { return self }
    let exactTargets: [ElementType: Set<ElementType>] = [
      .float16: [.float32, .float64], .bfloat16: [.float32, .float64], .float32: [.float64],
    ]
    guard exactTargets[elementType]?.contains(type.elementType) == true else {
      throw .mismatch(
        "is \(elementType.rawValue), which the architecture's \(type.elementType.rawValue) cannot "
          + "represent exactly")
    }
    return Tensor(type.elementType, shape: shape, doubles)
  }
}
