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
    let given = Set(inputs.map(\.value))
    let path = path(from: given, to: outputs.map(\.value))
    try check(path, from: inputs, to: outputs)
    var builder = GraphBuilder()
    var newIDs: [ValueID: ValueID] = [:]
    for port in inputs {
      let value = self[port.value]
      newIDs[port.value] = try builder.addInput(value.name, value.type)
    }
    for (index, value) in values.enumerated() where path.values.contains(ValueID(index)) {
      guard let tensor = value.constant else { continue }
      newIDs[ValueID(index)] = try builder.addWeight(value.name, tensor)
    }
    for node in path.nodes.map({ nodes[$0] }) {
      // A given value that is also computed by a needed node already has its name.
      let isGiven = !given.isDisjoint(with: node.outputs)
      let results = try builder.addNode(
        node.operation, named: node.name, inputs: node.inputs.compactMap { newIDs[$0] },
        source: node.source, outputNames: isGiven ? nil : node.outputs.map { self[$0].name },
        quantization: node.quantization)
      for (id, newID) in zip(node.outputs, results) where !given.contains(id) { newIDs[id] = newID }
    }
    let ports = outputs.compactMap { port in
      newIDs[port.value].map { Port(name: port.name, value: $0) }
    }
    return try builder.finish(outputs: ports)
      .renamingPorts(inputs: inputs.map(\.name), outputs: outputs.map(\.name))
  }

  /// The positions of the nodes between some values, ascending, and all values that they read.
  private struct Path {
    var nodes: [Int] = []
    var values: Set<ValueID> = []
  }

  private func path(from given: Set<ValueID>, to targets: [ValueID]) -> Path {
    var path = Path()
    var needed = Set(targets).subtracting(given)
    for (position, node) in nodes.enumerated().reversed()
    where !needed.isDisjoint(with: node.outputs) {
      path.nodes.append(position)
      path.values.formUnion(node.inputs)
      needed.formUnion(node.inputs.filter { !given.contains($0) })
    }
    path.nodes.reverse()
    return path
  }

  private func check(
    _ path: Path, from inputs: [Port], to outputs: [Port]
  ) throws(WeighbridgeError) {
    let given = Set(inputs.map(\.value))
    let names = { (ports: [Port]) in ports.map(\.name).joined(separator: ", ") }
    guard !path.nodes.isEmpty else {
      throw .mismatch("there is no layer between \(names(inputs)) and \(names(outputs))")
    }
    let unused = inputs.filter { !path.values.contains($0.value) }
    guard unused.isEmpty else {
      throw .mismatch(
        "no path leads from \(names(unused)) to \(names(outputs)), so it cannot be an input")
    }
    let missing = self.inputs.filter { path.values.contains($0.value) && !given.contains($0.value) }
    guard missing.isEmpty else {
      throw .mismatch(
        "\(names(outputs)) cannot be computed from \(names(inputs)) alone: paths lead to it from "
          + "\(names(missing)) too, so \(names(missing)) must be an input as well")
    }
  }
}
