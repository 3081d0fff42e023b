package import Bytes

extension Graph {
  /// The types of all values, inferred again for inputs of given shapes; by ``ValueID/index``.
  ///
  /// - Parameter tensors: One for each input.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` at the layer that cannot take these shapes.
  package func specialized(to tensors: [Tensor]) throws(WeighbridgeError) -> [TensorType] {
    try specialized(to: tensors.map(\.type))
  }

  /// The types of all values, inferred again for inputs of given types; by ``ValueID/index``.
  ///
  /// - Parameter inputTypes: One for each input.
  /// - Throws: As ``specialized(to:)-([Tensor])``.
  package func specialized(
    to inputTypes: [TensorType]
  ) throws(WeighbridgeError) -> [TensorType] {
    var types = values.map(\.type)
    for (port, type) in zip(inputs, inputTypes) { types[port.value.index] = type }
    try inferTypes(&types)
    return types
  }

  /// The same graph for inputs of given types.
  ///
  /// - Throws: As ``specialized(to:)-([Tensor])``.
  package func specializing(to inputTypes: [TensorType]) throws(WeighbridgeError) -> Graph {
    let types = try specialized(to: inputTypes)
    let specialized = zip(values, types).map { value, type in
      value.constant == nil ? Value(name: value.name, type: type) : value
    }
    return Graph(values: specialized, nodes: nodes, inputs: inputs, outputs: outputs)
  }

  /// Whether some shapes depend on the values of elements, so that they are unknown even when those of the inputs
  /// are known, or a node runs subgraphs, which are planned on their own.
  ///
  /// - Throws: As ``specialized(to:)-([Tensor])``.
  package func hasDataDependentShapes(for inputTypes: [TensorType]) throws(WeighbridgeError) -> Bool
  {
    try specialized(to: inputTypes).contains { $0.fixedShape == nil } || runsSubgraphs
  }

  /// The types of all values, inferred again from the inputs' stored types.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` at the layer whose inputs do not fit.
  package func inferredTypes() throws(WeighbridgeError) -> [TensorType] {
    var types = values.map(\.type)
    try inferTypes(&types)
    return types
  }

  private func inferTypes(_ types: inout [TensorType]) throws(WeighbridgeError) {
    for (position, node) in nodes.enumerated() {
      do throws(ShapeError) {
        let outputs = try node.operation.checkedOutputTypes(of: node.inputs.map { types[$0.index] })
        guard outputs.count == node.outputs.count else {
          throw ShapeError(
            "computes \(outputs.count.counted("output")), but the node has \(node.outputs.count)")
        }
        for (id, type) in zip(node.outputs, outputs) {
          types[id.index] = values[id.index].constant?.type ?? type
        }
      } catch {
        throw .mismatch(error.reason).at(layer: node.source.place(position))
      }
    }
  }

  /// For each node, the values that it is the last to use: no later node and no output of the graph
  /// needs them. Weights are never among them.
  package var lastUses: [[ValueID]] {
    var last = [Int?](repeating: nil, count: values.count)
    for (position, node) in nodes.enumerated() {
      for id in node.inputs + node.outputs { last[id.index] = position }
    }
    for port in outputs { last[port.value.index] = nil }
    var result = [[ValueID]](repeating: [], count: nodes.count)
    for (index, position) in last.enumerated() {
      if let position, values[index].constant == nil { result[position].append(ValueID(index)) }
    }
    return result
  }

  /// The peak size of activations in bytes when each is freed after its last use.
  ///
  /// - Parameter types: The types of all values, with known sizes.
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when a size does not fit an `Int`.
  package func peakActivationSize(_ types: [TensorType]) throws(WeighbridgeError) -> Int {
    var current = 0
    func allocate(_ id: ValueID) throws(WeighbridgeError) {
      let (sum, overflow) = current.addingReportingOverflow(try size(types[id.index]))
      guard !overflow else { throw tooLarge }
      current = sum
    }
    for port in inputs { try allocate(port.value) }
    var peak = current
    for (node, dead) in zip(nodes, lastUses) {
      for id in node.outputs { try allocate(id) }
      peak = max(peak, current)
      for id in dead { current -= try size(types[id.index]) }
    }
    return peak
  }

  private func size(_ type: TensorType) throws(WeighbridgeError) -> Int {
    let dimensions = type.fixedShape ?? []
    do throws(WeighbridgeError) {
      // Kernels compute with elements of 8 bytes.
      _ = try Checked.product(dimensions + [8], of: "the size of an activation")
      return try Checked.product(dimensions + [type.elementType.byteCount], of: "its size")
    } catch {
      throw tooLarge
    }
  }

  private var tooLarge: WeighbridgeError {
    WeighbridgeError(.limitExceeded, "its activations need more memory than can be addressed")
  }
}
