package import Bytes

extension Graph {
  /// Returns the part of the graph that computes some of its values from others.
  ///
  /// - Parameters:
  ///   - inputs: The given values, with the names of the part's inputs.
  ///   - outputs: The values to compute, with the names of the part's outputs.
  /// - Returns: A graph with these inputs and outputs, and the layers between them.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an output needs an input of the graph that
  ///   is not given, when no output needs a given value, or when there is no layer between them.
  package func cut(from inputs: [Port], to outputs: [Port]) throws(WeighbridgeError) -> Graph {
    let path = path(to: outputs.map(\.value), from: Set(inputs.map(\.value))).map { nodes[$0] }
    try check(path, from: inputs, to: outputs)
    var copy = GraphCopy(self)
    for port in inputs { try copy.addInput(port) }
    for node in path { try copy.add(node) }
    return try copy.finish(outputs: outputs)
  }

  private func check(
    _ path: [Node], from inputs: [Port], to outputs: [Port]
  ) throws(WeighbridgeError) {
    let (given, read) = (Set(inputs.map(\.value)), Set(path.flatMap(\.inputs)))
    let names = { (ports: [Port]) in ports.map(\.name).joined(separator: ", ") }
    guard !path.isEmpty else {
      throw .mismatch("there is no layer between \(names(inputs)) and \(names(outputs))")
    }
    let unused = inputs.filter { !read.contains($0.value) }
    guard unused.isEmpty else {
      throw .mismatch(
        "no path leads from \(names(unused)) to \(names(outputs)), so it cannot be an input")
    }
    let missing = self.inputs.filter { read.contains($0.value) && !given.contains($0.value) }
    guard missing.isEmpty else {
      throw .mismatch(
        "\(names(outputs)) cannot be computed from \(names(inputs)) alone: paths lead to it from "
          + "\(names(missing)) too, so \(names(missing)) must be an input as well")
    }
  }
}
