extension Graph {
  /// What each layer makes, by the names under which results of layers are given: the layer's name,
  /// with `.1`, `.2` for further outputs.
  var layerValues: [String: ValueID] {
    var values: [String: ValueID] = [:]
    for (position, name) in layerNodes {
      for (number, id) in nodes[position].outputs.enumerated() {
        values[number == 0 ? name : "\(name).\(number)"] = id
      }
    }
    return values
  }

  /// What each layer makes and each of `ports` holds, by name; a port goes before a layer of its name.
  func namedValues(with ports: [Port]) -> [String: ValueID] {
    layerValues.merging(ports.map { ($0.name, $0.value) }) { $1 }
  }
}
