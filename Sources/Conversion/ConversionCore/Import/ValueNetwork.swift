package import Bytes
package import GraphIR
package import LayerCatalog

/// The graph of a source whose nodes refer to values by their names. Values that are known
/// beforehand become weights only where a node needs them.
package struct ValueNetwork<Context>: SourceNetwork {
  /// What else the nodes of the format share.
  package var context: Context
  package var graph = GraphBuilder()
  /// The values, by their names in the file.
  package private(set) var values: [String: SourceValue] = [:]
  package var decisions: [Provenance.Decision] = []
  private var names: UniqueNames
  /// The size in bytes of the file's own tensors.
  private var storedByteCount = 0
  /// The size in bytes of the constants that were computed.
  private var computedByteCount = 0
  /// The number of nodes and values that bodies became in all their steps.
  private var unrolledCount = 0
  /// Names in the file that no weight has yet.
  private var unclaimedNames: Set<String>
  private var weights: [WeightKey: ValueID] = [:]
  /// The operator and inputs that produce each value computed when the model runs.
  package private(set) var producers:
    [ValueID: (operation: any CatalogOperator, inputs: [ValueID])] = [:]
  /// The names of the model's inputs.
  package private(set) var inputNames: [ValueID: String] = [:]
  /// The number that all elements of a value equal, where that is known.
  private var fillValues: [ValueID: Double] = [:]

  /// A name and the bytes that it refers to: two weights of one name are the same only when their
  /// elements are.
  private struct WeightKey: Hashable {
    let name: String
    let elementType: ElementType
    let shape: [Int]
    let store: ObjectIdentifier
    let offset: Int
    let strides: [Int]

    init(_ name: String, _ tensor: Tensor) {
      self.name = name
      (elementType, shape, store) = (
        tensor.elementType, tensor.shape, ObjectIdentifier(tensor.store)
      )
      (offset, strides) = (tensor.offset, tensor.strides)
    }
  }

  /// - Parameter names: All names in the file.
  package init(_ context: Context, names: Set<String>) {
    self.context = context
    self.names = UniqueNames(Array(names))
    unclaimedNames = names
  }

  /// An empty network for a subgraph, whose values have other names than those of the network around it, and
  /// whose constants and nodes count with those.
  package init(subgraphOf outer: ValueNetwork, _ context: Context) {
    self.context = context
    (names, unclaimedNames) = (outer.names, outer.unclaimedNames)
    (storedByteCount, computedByteCount) = (outer.storedByteCount, outer.computedByteCount)
    unrolledCount = outer.unrolledCount
  }

  /// Takes over what a subgraph counted and decided.
  package mutating func finish(subgraph: ValueNetwork) {
    (storedByteCount, computedByteCount) = (subgraph.storedByteCount, subgraph.computedByteCount)
    unrolledCount = subgraph.unrolledCount
    decisions += subgraph.decisions
  }

  /// Goes back to an earlier state, except for what was counted.
  package mutating func restore(_ earlier: ValueNetwork) {
    let (computed, unrolled) = (computedByteCount, unrolledCount)
    self = earlier
    computedByteCount = max(computed, computedByteCount)
    unrolledCount = max(unrolled, unrolledCount)
  }

  /// Returns the type of a value.
  package func type(_ value: SourceValue) -> TensorType {
    switch value {
    case .computed(let id): graph.type(of: id)
    case .constant(_, let tensor): tensor.type
    case .dimensions(let dimensions, let isList, let type):
      TensorType(type, isList ? [dimensions.count] : [])
    }
  }

  /// Adds an input of a subgraph, under an unused name.
  package mutating func addSubgraphInput(
    _ name: String, _ type: TensorType
  ) throws(WeighbridgeError) -> SourceValue {
    .computed(try graph.addInput(names.unused(name), type))
  }

  package mutating func addInput(_ name: String, _ type: TensorType) throws(WeighbridgeError) {
    let id = try graph.addInput(name, type)
    inputNames[id] = name
    values[name] = .computed(id)
  }

  /// Defines the value of a name.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the name is taken.
  package mutating func define(
    _ name: String, _ value: SourceValue
  ) throws(WeighbridgeError) {
    if values.updateValue(value, forKey: name) != nil {
      throw .malformed("two values are called \(name), and each needs a name of its own")
    }
  }

  /// Records that all elements of a value equal one number.
  package mutating func recordFill(of value: SourceValue, with number: Double) {
    if case .computed(let id) = value { fillValues[id] = number }
  }

  /// Returns the number that all elements of a value equal; `nil` where that is not known.
  package func fillValue(of value: SourceValue) -> Double? {
    if case .computed(var id) = value {
      // A few operators that only move or repeat elements may follow.
      for _ in 0..<16 {
        if let number = fillValues[id] { return number }
        guard let (operation, inputs) = producers[id], operation.movesElements else { return nil }
        id = inputs[0]
      }
      return nil
    }
    guard let elements = value.tensor?.doubles, let first = elements.first else { return nil }
    return elements.allSatisfy { $0 == first } ? first : nil
  }

  /// The largest number of nodes and values that bodies may become in all their steps; a larger graph would be
  /// useless.
  private static var maximumUnrolledCount: Int { 1 << 17 }

  /// Whether bodies may still be written out for every step; half of the nodes are left for those that become
  /// subgraphs.
  package var mayUnroll: Bool { unrolledCount < Self.maximumUnrolledCount / 2 }

  /// The largest size in bytes of all computed constants: 256 MiB plus 16 bytes for each byte in
  /// the file, which is enough to convert bytes to float32 in a few steps.
  private var maximumComputedByteCount: Int { (1 << 28) + 16 * storedByteCount }

  /// Counts a tensor of the file.
  package mutating func countStored(_ tensor: Tensor) {
    storedByteCount += min(tensor.byteCount, 1 << 48)
  }

  /// Counts a constant before it is computed.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when all of them together are too large.
  package mutating func countConstant(
    _ type: TensorType, byteCount: Int
  ) throws(WeighbridgeError) {
    computedByteCount += min(byteCount, maximumComputedByteCount + 1)
    guard computedByteCount <= maximumComputedByteCount else {
      throw .limitExceeded(
        "computes the constant \(type), and all computed constants would take \(computedByteCount) bytes; "
          + "\(maximumComputedByteCount) are the limit")
    }
  }

  /// Counts the nodes and values of a body that runs once more.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when nested loops produce too many.
  package mutating func countBody(_ count: Int) throws(WeighbridgeError) {
    unrolledCount += count
    guard unrolledCount <= Self.maximumUnrolledCount else {
      throw .limitExceeded(
        "its loops become more than \(Self.maximumUnrolledCount) nodes and values in all their steps, which is "
          + "the limit")
    }
  }

  /// Removes the named values of a body whose nodes were added.
  package mutating func removeValues(_ names: [String]) {
    for name in names { values[name] = nil }
  }

  /// Replaces the named values, for example after those of a body were added.
  package mutating func replaceValues(_ values: [String: SourceValue]) { self.values = values }

  /// Returns a name that is used neither in the file nor by anything added.
  package mutating func unusedName(_ name: String) -> String { names.unused(name) }

  /// Returns a value as an input of nodes: constants become weights.
  ///
  /// - Parameter source: The layer that needs the value.
  package mutating func id(
    _ value: SourceValue, _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    switch value {
    case .computed(let id): return id
    case .constant(let name, let tensor): return try weight(name, tensor)
    case .dimensions(let dimensions, let isList, let type):
      if let tensor = value.tensor { return try weight("\(source.layer)/sizes", tensor) }
      let id = try addDimensions(dimensions, isList: isList, source)
      return type == .int64 ? id : try add(Cast(to: type), [id], source)[0]
    }
  }

  /// Returns a value as an output of the model; constants pass through an identity node.
  package mutating func output(
    _ name: String, _ value: SourceValue
  ) throws(WeighbridgeError) -> ValueID {
    if case .computed(let id) = value { return id }
    let source = SourceScope(layer: name, className: "Identity")
    return try add(Identity(), [try id(value, source)], source)[0]
  }

  private mutating func weight(
    _ name: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    let key = WeightKey(name, tensor)
    if let existing = weights[key] { return existing }
    // Only one of the weights that come from a value of the file gets its name.
    let uniqueName = unclaimedNames.remove(name) == nil ? unusedName(name) : name
    let id = try graph.addWeight(uniqueName, tensor)
    weights[key] = id
    return id
  }

  /// Adds nodes that compute sizes when the model runs.
  private mutating func addDimensions(
    _ dimensions: [SourceDimension], isList: Bool, _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    var sizes: [ValueID] = []
    for dimension in dimensions {
      switch dimension {
      case .known(let number):
        sizes.append(
          try weight(
            "\(source.layer)/extent_\(number)", Tensor(.int64, shape: [1], [Double(number)]))
        )
      case .axis(let id, let axis, let times):
        let shape = try add(Shape(elementType: .int64), [id], source)
        let range = Slice.Range(axis: 0, start: axis, stop: axis + 1, step: 1)
        let size = try add(Slice([range]), shape, source)[0]
        sizes.append(times == 1 ? size : try multiplied(size, times, source))
      case .computed(let id): sizes.append(id)
      }
    }
    let list = sizes.count == 1 ? sizes[0] : try add(Concatenate(axis: 0), sizes, source)[0]
    return isList ? list : try add(Squeeze(axes: [0]), [list], source)[0]
  }

  private mutating func multiplied(
    _ dimension: ValueID, _ times: Int, _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    let factor = try weight(
      "\(source.layer)/times_\(times)", Tensor(.int64, shape: [1], [Double(times)]))
    return try add(Multiply(), [dimension, factor], source)[0]
  }

  /// Whether sizes are those of a value, in order.
  package func isShape(_ dimensions: [SourceDimension], of id: ValueID) -> Bool {
    let shape = graph.type(of: id).shape
    return dimensions.count == shape.count
      && dimensions.indices.allSatisfy { axis in
        dimensions[axis] == .axis(id, axis, times: 1)
          || dimensions[axis].number != nil && dimensions[axis].number == shape[axis].value
      }
  }

  /// Returns the value that another one repeats element by element, by a `Tile` along an added
  /// axis.
  package func repeatedInput(of id: ValueID) -> (input: ValueID, axis: Int, count: Int)? {
    guard case (let tile as Tile, let tiled)? = producers[id],
      case (let expansion as ExpandDims, let expanded)? = producers[tiled[0]],
      expansion.axes.count == 1, let axis = expansion.axes.first, axis >= 1,
      tile.counts.indices.contains(axis),
      tile.counts.indices.allSatisfy({ $0 == axis || tile.counts[$0] == 1 })
    else { return nil }
    return (expanded[0], axis - 1, tile.counts[axis])
  }

  /// Adds a node.
  ///
  /// - Parameter outputNames: The names of its outputs in the file; by default generated ones.
  package mutating func add(
    _ operation: any CatalogOperator, _ inputs: [ValueID], _ source: SourceScope,
    outputNames: [String]? = nil
  ) throws(WeighbridgeError) -> [ValueID] {
    if let id = original(undoneBy: operation, inputs) { return [id] }
    let inputTypes = inputs.map { graph.type(of: $0) }
    let operation = operation.stating(.wrapping, for: inputTypes)
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.checkedOutputTypes(of: inputTypes)
    } catch { throw .malformed(error.reason) }
    let name = source.nodeName
    var outputs: [String] = []
    for position in types.indices {
      let fileName = outputNames.flatMap { position < $0.count ? $0[position] : nil } ?? ""
      outputs.append(
        fileName.isEmpty ? unusedName(position == 0 ? name : "\(name):\(position)") : fileName)
    }
    let ids = try graph.addNode(
      operation, inputs: inputs, source: source, outputNames: outputs)
    for id in ids { producers[id] = (operation, inputs) }
    return ids
  }

  /// Returns the original value, where an operator undoes the operator that produced its input.
  private func original(
    undoneBy operation: any CatalogOperator, _ inputs: [ValueID]
  ) -> ValueID? {
    guard let input = inputs.first, let (producer, original) = producers[input] else { return nil }
    switch (operation, producer) {
    case (let inverse as Transpose, let transpose as Transpose):
      let axes = inverse.axes.map { transpose.axes[$0] }
      return axes == Array(axes.indices) ? original[0] : nil
    case (let squeeze as Squeeze, let expansion as ExpandDims):
      return squeeze.axes == expansion.axes ? original[0] : nil
    default: return nil
    }
  }
}

extension CatalogOperator {
  /// Whether all elements of the output are elements of the only input.
  fileprivate var movesElements: Bool {
    switch self as any CatalogOperator {
    case is BroadcastTo, is ExpandDims, is Identity, is ReshapeAxes, is Slice, is Squeeze, is Tile,
      is Transpose:
      true
    default: false
    }
  }
}
