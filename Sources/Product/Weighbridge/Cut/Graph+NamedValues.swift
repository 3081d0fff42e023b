extension Graph {
  /// The outputs of each layer, by the names under which layers' results are returned: the layer's
  /// name, with `.1`, `.2` for further outputs.
  var layerValues: [String: ValueID] {
    var values: [String: ValueID] = [:]
    for (position, name) in layerNodes {
      for (number, id) in nodes[position].outputs.enumerated() {
        values[number == 0 ? name : "\(name).\(number)"] = id
      }
    }
    return values
  }

  /// Returns the outputs of each layer and the values of `ports`, by name; a port takes precedence
  /// over a layer of the same name.
  func namedValues(with ports: [Port]) -> [String: ValueID] {
    layerValues.merging(ports.map { ($0.name, $0.value) }) { $1 }
  }
}
