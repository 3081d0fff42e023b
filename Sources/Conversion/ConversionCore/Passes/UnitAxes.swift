package import Bytes
package import GraphIR
import LayerCatalog

/// A graph without the axes of size 1 that keep a target from holding its values: arrays of many axes, and arrays whose
/// first axis is not the batch of one, as where a file exchanges both first axes for its attention.
///
/// What only reshapes or transposes such an array becomes one reshape or a transpose of fewer axes; what computes with
/// it takes `[1, sizes...]`, with the sizes that are not 1.
package struct UnitAxes {
  /// The graph; `nil` if nothing keeps the target from holding the values.
  package let graph: Graph?

  /// Changes a graph.
  ///
  /// - Parameters:
  ///   - original: The graph.
  ///   - types: The types of its values, with a batch of one.
  ///   - maximumRank: How many axes an array has at most after the first one.
  ///   - startsWithOne: Whether the first axis is always of size 1.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, _ types: [TensorType], maximumRank: Int, startsWithOne: Bool
  ) throws(WeighbridgeError) {
    var copy = UnitAxisCopy(
      copy: try GraphCopy(withInputsOf: original) { types[$0.value.index] }, types: types,
      maximumRank: maximumRank, startsWithOne: startsWithOne)
    let needed = original.neededValues
    guard needed.contains(where: { !copy.isHeld($0) }) else {
      graph = nil
      return
    }
    for (position, node) in original.nodes.enumerated()
    where !needed.isDisjoint(with: node.outputs) {
      do throws(WeighbridgeError) {
        try copy.add(node)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    for port in original.outputs { try copy.restore(port.value) }
    graph = try copy.copy.finish()
  }
}

/// The copy of a graph, node by node.
private struct UnitAxisCopy {
  var copy: GraphCopy
  /// The types of the original's values.
  let types: [TensorType]
  let maximumRank: Int
  let startsWithOne: Bool
  /// The values that follow from inputs; others are weights, which have any axes.
  private let inputDependent: Set<ValueID>
  /// For values that the target cannot hold, others with the same elements in row-major order.
  private var carriers: [ValueID: ValueID] = [:]

  init(copy: GraphCopy, types: [TensorType], maximumRank: Int, startsWithOne: Bool) {
    (self.copy, self.types) = (copy, types)
    (self.maximumRank, self.startsWithOne) = (maximumRank, startsWithOne)
    inputDependent = copy.original.nodes.reduce(into: Set(copy.original.inputs.map(\.value))) {
      if !$0.isDisjoint(with: $1.inputs) { $0.formUnion($1.outputs) }
    }
  }

  /// Whether the target can hold a value, or nothing can be done about it.
  func isHeld(_ id: ValueID) -> Bool {
    guard let shape = types[id.index].fixedShape, !shape.isEmpty, !shape.contains(0),
      inputDependent.contains(id)
    else { return true }
    return shape.count <= maximumRank + 1 && (shape[0] == 1 || !startsWithOne)
  }

  private func shape(_ id: ValueID) -> [Int] { types[id.index].fixedShape ?? [] }

  /// Adds a node.
  mutating func add(_ node: Node) throws(WeighbridgeError) {
    let values = node.inputs + node.outputs
    if values.allSatisfy(isHeld) { return try copy.add(node) }
    let areKnown = values.allSatisfy {
      types[$0.index].fixedShape != nil || copy.original[$0].constant != nil
    }
    if areKnown, let operation = node.operation as? any CatalogOperator,
      try addCompact(node, operation)
    {
      return
    }
    for id in node.inputs { try restore(id) }
    try copy.add(node)
  }

  /// Gives a value its own axes.
  mutating func restore(_ id: ValueID) throws(WeighbridgeError) {
    if carriers[id] != nil, copy[id] == nil { copy[id] = try value(id, shape(id)) }
  }

  /// Returns a value with the elements of an original one in row-major order, whatever its axes.
  private mutating func carrier(of id: ValueID) throws(WeighbridgeError) -> ValueID {
    if let carrier = carriers[id] { return carrier }
    return try copy.copy(of: id)
  }

  /// Returns the elements of a value in another shape.
  private mutating func value(
    _ id: ValueID, _ shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let name = copy.original[id].name
    if let tensor = copy.original[id].constant {
      return try copy.builder.addConstant(tensor.reshaped(shape), named: "\(name)/axes")
    }
    return try reshaped(try carrier(of: id), shape, name)
  }

  /// Returns the elements of a value of the copy in another shape.
  private mutating func reshaped(
    _ value: ValueID, _ shape: [Int], _ name: String
  ) throws(WeighbridgeError) -> ValueID {
    if copy.builder.type(of: value).fixedShape == shape { return value }
    return try copy.builder.addNode(
      ReshapeAxes(shape.map { .fixed($0) }), inputs: [value],
      source: SourceScope(layer: "\(name)/axes", className: "Reshape"))[0]
  }

  /// Records a value that has the elements of an original one.
  private mutating func record(_ id: ValueID, _ new: ValueID) throws(WeighbridgeError) {
    carriers[id] = new
    if isHeld(id) {
      copy[id] = try value(id, shape(id))
      carriers[id] = nil
    }
  }

  /// Adds a node without axes of size 1.
  ///
  /// - Returns: Whether that is possible.
  private mutating func addCompact(
    _ node: Node, _ operation: any CatalogOperator
  ) throws(WeighbridgeError) -> Bool {
    let rank = shape(node.inputs[0]).count
    switch operation {
    case is ExpandDims, is FlattenTime, is Identity, is Reshape, is ReshapeAxes, is Squeeze,
      is UnflattenTime:
      try record(node.outputs[0], try carrier(of: node.inputs[0]))
      return true
    case let transpose as Transpose: return try addTranspose(node, transpose.axes)
    case let product as MatMul:
      return try add(node, product, along: [-2, -1], aligned: node.inputs.count) { _ in product }
    case is Dense: return try add(node, operation, along: [rank - 1], aligned: 1) { _ in operation }
    case let softmax as Softmax:
      return try add(node, softmax, along: softmax.axes, aligned: 1) { Softmax(axes: $0) }
    case let softmax as LogSoftmax:
      return try add(node, softmax, along: softmax.axes, aligned: 1) { LogSoftmax(axes: $0) }
    case let normalization as LayerNormalization:
      return try add(node, normalization, along: normalization.axes, aligned: 1) {
        LayerNormalization(
          axes: $0, epsilon: normalization.epsilon, hasScale: normalization.hasScale,
          hasCenter: normalization.hasCenter)
      }
    case let reduction as Reduce:
      // A single element is its own sum, mean and extreme.
      let isPlain = [.sum, .mean, .product, .maximum, .minimum].contains(reduction.function)
      let axes = reduction.axes.filter { !isPlain || shape(node.inputs[0])[$0] != 1 }
      if axes.isEmpty {
        try record(node.outputs[0], try carrier(of: node.inputs[0]))
        return true
      }
      return try add(node, reduction, along: axes, aligned: 1) {
        Reduce(reduction.function, axes: $0, keepDims: true, overflow: reduction.overflow)
      }
    case let whole as Concatenate:
      return try add(node, whole, along: [whole.axis], aligned: node.inputs.count) {
        Concatenate(axis: $0[0])
      }
    case let split as Split:
      return try add(node, split, along: [split.axis], aligned: 1) {
        Split(axis: $0[0], sizes: split.sizes)
      }
    case let slice as Slice:
      return try add(node, slice, along: slice.ranges.map(\.axis), aligned: 1) { axes in
        Slice(
          zip(slice.ranges, axes).map {
            Slice.Range(axis: $1, start: $0.start, stop: $0.stop, step: $0.step)
          })
      }
    case let gather as Gather:
      guard gather.batchAxes == 0, let indices = copy.original[node.inputs[1]].constant else {
        return false
      }
      return try add(
        node, gather, along: [gather.axis], aligned: 1, with: indices.reshaped([indices.count])
      ) {
        Gather(axis: $0[0])
      }
    case let pointwise as any PointwiseOperator:
      let elementTypes = node.inputs.map { types[$0.index].elementType }
      guard pointwise.pointwise(elementTypes) != nil else { return false }
      return try add(node, operation, along: [], aligned: node.inputs.count) { _ in operation }
    default: return false
    }
  }

  /// Adds an operator with the axes that are not of size 1, and those along which it works.
  ///
  /// - Parameters:
  ///   - axes: The axes along which it works; those below 0 count from the end.
  ///   - count: The number of inputs that have these axes; others are weights.
  ///   - other: What is read instead of the other inputs.
  ///   - changed: The operator for the new axes.
  private mutating func add(
    _ node: Node, _ operation: any CatalogOperator, along axes: [Int], aligned count: Int,
    with other: Tensor? = nil, _ changed: ([Int]) -> any CatalogOperator
  ) throws(WeighbridgeError) -> Bool {
    let given = node.inputs.prefix(count).map { copy.original[$0].constant?.shape ?? shape($0) }
    let rank = given.map(\.count).max() ?? 0
    let shapes = given.map { [Int](repeating: 1, count: rank - $0.count) + $0 }
    let worked = axes.map { $0 < 0 ? $0 + rank : $0 }
    guard worked.allSatisfy((0..<rank).contains) else { return false }
    let kept = (0..<rank).filter { axis in
      worked.contains(axis) || shapes.contains { $0[axis] != 1 }
    }
    let groups =
      kept.count > maximumRank ? Self.merged(kept, shapes, along: worked) : kept.map { [$0] }
    guard groups.count <= maximumRank else { return false }
    var newInputs: [ValueID] = []
    for (id, shape) in zip(node.inputs, shapes) {
      newInputs.append(try value(id, [1] + groups.map { $0.reduce(1) { $0 * shape[$1] } }))
    }
    if let other {
      newInputs.append(try copy.builder.addConstant(other, named: "\(node.name)/indices"))
    } else {
      for id in node.inputs.dropFirst(count) {
        try restore(id)
        newInputs.append(try copy.copy(of: id))
      }
    }
    let newAxes = worked.map { axis in 1 + (groups.firstIndex { $0.contains(axis) } ?? 0) }
    let outputs = try copy.addNode(like: node, changed(newAxes), newInputs)
    for (id, new) in zip(node.outputs, outputs) { try record(id, new) }
    return true
  }

  /// Groups of neighboring axes that an operator can take as one: it does not work along them, and repeats no input
  /// along some of them only.
  ///
  /// - Parameters:
  ///   - axes: The axes, in order.
  ///   - shapes: The shapes of the inputs that have them.
  ///   - worked: The axes along which the operator works.
  private static func merged(
    _ axes: [Int], _ shapes: [[Int]], along worked: [Int]
  ) -> [[Int]] {
    func areOne(_ axis: Int, _ next: Int) -> Bool {
      !worked.contains(axis) && !worked.contains(next)
        && shapes.allSatisfy { ($0[axis] == 1) == ($0[next] == 1) }
    }
    return axes.reduce(into: []) { groups, axis in
      if let last = groups.last?.last, areOne(last, axis) {
        groups[groups.count - 1].append(axis)
      } else {
        groups.append([axis])
      }
    }
  }

  /// Adds a transpose of the axes that are not of size 1, of which those that stay neighbors are one.
  private mutating func addTranspose(
    _ node: Node, _ axes: [Int]
  ) throws(WeighbridgeError) -> Bool {
    let shape = shape(node.inputs[0])
    let present = shape.indices.filter { shape[$0] != 1 }
    // The axes of each group, in the order of the output.
    var groups: [[Int]] = []
    for axis in axes where shape[axis] != 1 {
      let position = present.firstIndex(of: axis) ?? 0
      if let last = groups.last?.last, position > 0, present[position - 1] == last {
        groups[groups.count - 1].append(axis)
      } else {
        groups.append([axis])
      }
    }
    let sorted = groups.indices.sorted { groups[$0][0] < groups[$1][0] }
    var sizes = sorted.map { groups[$0].reduce(1) { $0 * shape[$1] } }
    var order = groups.indices.map { sorted.firstIndex(of: $0) ?? 0 }
    var output = try carrier(of: node.inputs[0])
    // Of more axes than there may be, one at a time moves to its place; those around it are one.
    for position in order.indices where order.count > maximumRank && order[position] != position {
      let index = order[position]
      let ends = [0, position, index, index + 1, sizes.count]
      let parts = zip(ends, ends.dropFirst()).map { sizes[$0..<$1].reduce(1, *) }
      output = try reshaped(output, [1] + parts, copy.original[node.inputs[0]].name)
      output = try copy.builder.addNode(
        Transpose(axes: [0, 1, 3, 2, 4]), inputs: [output], source: node.source)[0]
      sizes.insert(sizes.remove(at: index), at: position)
      order = order.map { $0 == index ? position : (position..<index).contains($0) ? $0 + 1 : $0 }
    }
    if order != order.sorted() {
      output = try reshaped(output, [1] + sizes, copy.original[node.inputs[0]].name)
      let transpose = Transpose(axes: [0] + order.map { $0 + 1 })
      output = try copy.addNode(like: node, transpose, [output])[0]
    }
    try record(node.outputs[0], output)
    return true
  }
}
