extension Graph {
  /// The position of the node that produces each value.
  package var producers: [ValueID: Int] {
    var producers: [ValueID: Int] = [:]
    for (position, node) in nodes.enumerated() {
      for id in node.outputs { producers[id] = position }
    }
    return producers
  }

  /// The positions of the nodes that read each value, one for each input that it is; values that
  /// no node reads have no entry.
  package var readers: [ValueID: [Int]] {
    var readers: [ValueID: [Int]] = [:]
    for (position, node) in nodes.enumerated() {
      for id in node.inputs { readers[id, default: []].append(position) }
    }
    return readers
  }

  /// How often each value is read by a node or is an output; unused values have no entry.
  package var useCounts: [ValueID: Int] {
    (nodes.flatMap(\.inputs) + outputs.map(\.value)).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// The outputs, and the values from which they are computed. (A call of a nested model may not
  /// use all of its outputs, and those of a loss added to the model are not outputs.)
  package var neededValues: Set<ValueID> {
    let needed = outputs.map(\.value)
    return path(to: needed).reduce(into: Set(needed)) { $0.formUnion(nodes[$1].inputs) }
  }

  /// The positions of the nodes from which some values are computed, ascending.
  ///
  /// - Parameter given: Values that need not be computed.
  package func path(to needed: [ValueID], from given: Set<ValueID> = []) -> [Int] {
    var positions: [Int] = []
    var values = Set(needed).subtracting(given)
    for (position, node) in nodes.enumerated().reversed()
    where node.outputs.contains(where: values.contains) {
      positions.append(position)
      values.formUnion(node.inputs.filter { !given.contains($0) })
    }
    return positions.reversed()
  }
}
