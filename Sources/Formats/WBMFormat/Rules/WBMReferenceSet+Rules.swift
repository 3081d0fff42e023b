import Bytes

extension WBMReferenceSet {
  /// Checks that the arrays belong to the graph's inputs and outputs, in order, and fit them.
  ///
  /// - Parameter tensors: Updated with the tensors that the set refers to.
  func checkRules(
    _ tensors: inout TensorReferences, _ graph: WBMGraph
  ) throws(WeighbridgeError) {
    try checkNames(graph)
    guard [tolerance.absolute, tolerance.relative].allSatisfy({ $0 >= 0 && $0.isFinite }) else {
      throw WBMHeader.malformed(
        "the tolerance is \(tolerance.absolute) + \(tolerance.relative) x max|expected|, not "
          + "finite or "
          + "negative")
    }
    if let relativeL2 = tolerance.relativeL2 {
      guard relativeL2 >= 0, relativeL2.isFinite, tolerance.absolute == 0, tolerance.relative == 0
      else {
        throw WBMHeader.malformed(
          "the relative L2 tolerance \(relativeL2) is invalid or not the only tolerance")
      }
    }
    var sizes: [String: Int] = [:]
    for (array, port) in zip(inputs, graph.inputs) {
      let (tensor, value) = (try tensors.refer(to: array), graph.values[port.value])
      guard tensor.elementType == value.elementType else {
        throw WBMHeader.malformed(
          "the input \(array.name) is \(value.elementType), but its array \(tensor.elementType)")
      }
      try value.checkShape(tensor.shape, &sizes, "input \(array.name)")
    }
    for array in outputs {
      let tensor = try tensors.refer(to: array)
      for port in graph.outputs where port.name.utf8.elementsEqual(array.name.utf8) {
        try graph.values[port.value].checkShape(tensor.shape, &sizes, "output \(array.name)")
      }
    }
    for array in layerOutputs { _ = try tensors.refer(to: array) }
  }

  private func checkNames(_ graph: WBMGraph) throws(WeighbridgeError) {
    try Names.check(inputs.map(\.name), of: "inputs")
    try Names.check(outputs.map(\.name), of: "outputs")
    try Names.check(layerOutputs.map(\.name), of: "layer outputs")
    try Names.check(inputs.map(\.name), areAmong: graph.inputs.map(\.name), inOrderOf: "input")
    try Names.check(outputs.map(\.name), areAmong: graph.outputs.map(\.name), inOrderOf: "output")
    guard inputs.count == graph.inputs.count else {
      throw WBMHeader.malformed(
        "there are arrays for \(inputs.count) of \(graph.inputs.count.counted("input")), expected one "
          + "for each")
    }
    guard !outputs.isEmpty || !layerOutputs.isEmpty else {
      throw WBMHeader.malformed("there is no array for any output")
    }
  }
}

extension TensorReferences {
  fileprivate mutating func refer(to array: WBMNamedTensor) throws(WeighbridgeError) -> WBMTensor {
    try refer(to: array.tensor, by: array.name)
  }
}

extension WBMValue {
  /// Checks that an array with a shape can be this value.
  ///
  /// - Parameter sizes: The sizes of the symbols so far; updated with the sizes of new ones.
  fileprivate func checkShape(
    _ shape: [Int], _ sizes: inout [String: Int], _ name: String
  ) throws(WeighbridgeError) {
    var fits = shape.count == dimensions.count
    for (size, dimension) in zip(shape, dimensions) {
      switch dimension {
      case .fixed(let fixed): fits = fits && size == fixed
      case .symbol(let symbol):
        fits = fits && size == sizes[symbol, default: size]
        sizes[symbol] = size
      case .unknown: break
      }
    }
    guard fits else {
      throw WBMHeader.malformed(
        "the array of the \(name) has the shape \(shape), which does not fit")
    }
  }
}
