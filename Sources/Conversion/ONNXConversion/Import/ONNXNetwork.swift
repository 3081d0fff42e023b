import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The graph of an ONNX file under construction.
struct ONNXNetwork: SourceNetwork {
  /// Reads the elements of a tensor of the file.
  typealias TensorReader = (ONNXInitializer) throws(WeighbridgeError) -> Tensor

  /// The version of ONNX's operators.
  let opset: Int
  let readTensor: TensorReader
  var graph = GraphBuilder()
  /// The values by their names in the file.
  private(set) var values: [String: ONNXValue] = [:]
  /// How ambiguities of the file were resolved.
  var decisions: [Provenance.Decision] = []
  private var names: UniqueNames
  /// The number of bytes of the file's own tensors.
  private var stored = 0
  /// The number of bytes of the constants that were computed.
  private var computed = 0
  /// The number of nodes that bodies became.
  private var repeated = 0
  /// Names in the file that no weight has yet.
  private var unclaimed: Set<String>
  private var weights: [WeightKey: ValueID] = [:]
  /// The operator and inputs that produce each value computed when the model runs.
  private(set) var makers: [ValueID: (operation: any CatalogOperator, inputs: [ValueID])] = [:]
  /// The names of the model's inputs.
  private(set) var inputNames: [ValueID: String] = [:]
  /// The number of each value all of whose elements are equal.
  private var numbers: [ValueID: Double] = [:]

  /// A name and the view of bytes that it refers to: whatever their names, two weights are the same
  /// only when their elements are.
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
  init(opset: Int, names: Set<String>, readTensor: @escaping TensorReader) {
    self.opset = opset
    self.names = UniqueNames(Array(names))
    unclaimed = names
    self.readTensor = readTensor
  }

  /// The type of a value.
  func type(_ value: ONNXValue) -> TensorType {
    switch value {
    case .computed(let id): graph.type(of: id)
    case .constant(_, let tensor): tensor.type
    case .dimensions(let dimensions, let isList, let type):
      TensorType(type, isList ? [dimensions.count] : [])
    }
  }

  mutating func addInput(_ name: String, _ type: TensorType) throws(WeighbridgeError) {
    let id = try graph.addInput(name, type)
    inputNames[id] = name
    values[name] = .computed(id)
  }

  /// Gives a value its name.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is one with that name.
  mutating func define(_ name: String, _ value: ONNXValue) throws(WeighbridgeError) {
    if values.updateValue(value, forKey: name) != nil {
      throw .malformed("two values are called \(name)")
    }
  }

  /// Records that all elements of a value equal one number.
  mutating func note(_ value: ONNXValue, isEverywhere number: Double) {
    if case .computed(let id) = value { numbers[id] = number }
  }

  /// The number that all elements of a value equal, where that is known.
  func number(everywhere value: ONNXValue) -> Double? {
    if case .computed(let id) = value { return numbers[id] }
    guard let elements = value.tensor?.doubles, let first = elements.first else { return nil }
    return elements.allSatisfy { $0 == first } ? first : nil
  }

  /// The largest number of nodes that bodies may become in all their steps; a larger graph would be
  /// useless.
  private static let mostRepeated = 1 << 16

  /// The largest size in bytes of all computed constants: 256 MiB plus 16 bytes for each byte in
  /// the file, which is enough to convert bytes to float32 in a few steps.
  private var mostComputed: Int { (1 << 28) + 16 * stored }

  /// Counts a tensor of the file.
  mutating func countStored(_ tensor: Tensor) { stored += min(tensor.byteCount, 1 << 48) }

  /// Counts a constant before it is computed.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when all of them together take too much.
  mutating func countConstant(
    _ type: TensorType, byteCount: Int
  ) throws(WeighbridgeError) {
    computed += min(byteCount, mostComputed + 1)
    guard computed <= mostComputed else {
      throw .limitExceeded(
        "computes \(type) beforehand, and all that is known beforehand would take \(computed) bytes "
          + "or more")
    }
  }

  /// Counts the nodes of a body that runs once more.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when nested loops produce too many.
  mutating func countBody(_ nodes: Int) throws(WeighbridgeError) {
    repeated += nodes
    guard repeated <= Self.mostRepeated else {
      throw .limitExceeded("loops of more than \(Self.mostRepeated) nodes in all their steps")
    }
  }

  /// Replaces the named values for a while with those of a body and its inputs.
  mutating func replaceValues(_ values: [String: ONNXValue]) { self.values = values }

  /// A name that is used neither in the file nor by anything added.
  mutating func unusedName(_ name: String) -> String { names.unused(name) }

  /// Returns a value in the form that a node takes: constants become weights.
  ///
  /// - Parameter source: The layer that needs the value.
  mutating func id(
    _ value: ONNXValue, _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    switch value {
    case .computed(let id): return id
    case .constant(let name, let tensor): return try weight(name, tensor)
    case .dimensions(let dimensions, let isList, let type):
      if let tensor = value.tensor { return try weight("\(source.layer)/sizes", tensor) }
      let id = try computed(dimensions, isList: isList, source)
      return type == .int64 ? id : try add(Cast(to: type), [id], source)[0]
    }
  }

  /// Returns a value as an output of the model; constants pass through an identity node.
  mutating func output(
    _ name: String, _ value: ONNXValue
  ) throws(WeighbridgeError) -> ValueID {
    if case .computed(let id) = value { return id }
    let source = SourceScope(layer: name, className: "Identity")
    return try add(Identity(), [try id(value, source)], source)[0]
  }

  private mutating func weight(
    _ name: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    let key = WeightKey(name, tensor)
    if let known = weights[key] { return known }
    // One form of a file's value keeps its name.
    let own = unclaimed.remove(name) == nil ? unusedName(name) : name
    let id = try graph.addWeight(own, tensor)
    weights[key] = id
    return id
  }

  /// Adds nodes that compute sizes when the model runs.
  private mutating func computed(
    _ dimensions: [ONNXDimension], isList: Bool, _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    var parts: [ValueID] = []
    for dimension in dimensions {
      switch dimension {
      case .known(let number):
        parts.append(
          try weight(
            "\(source.layer)/extent_\(number)", Tensor(.int64, shape: [1], [Double(number)]))
        )
      case .axis(let id, let axis, let times):
        let shape = try add(Shape(elementType: .int64), [id], source)
        let range = Slice.Range(axis: 0, start: axis, stop: axis + 1, step: 1)
        let part = try add(Slice([range]), shape, source)[0]
        parts.append(times == 1 ? part : try multiplied(part, times, source))
      }
    }
    let list = parts.count == 1 ? parts[0] : try add(Concatenate(axis: 0), parts, source)[0]
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
  func isShape(_ dimensions: [ONNXDimension], of id: ValueID) -> Bool {
    let shape = graph.type(of: id).shape
    return dimensions.count == shape.count
      && dimensions.indices.allSatisfy { axis in
        dimensions[axis] == .axis(id, axis, times: 1)
          || dimensions[axis].number != nil && dimensions[axis].number == shape[axis].value
      }
  }

  /// The value that another one repeats element by element, by a `Tile` along an added axis.
  func repeated(_ id: ValueID) -> (input: ValueID, axis: Int, count: Int)? {
    guard case (let tile as Tile, let tiled)? = makers[id],
      case (let expansion as ExpandDims, let expanded)? = makers[tiled[0]],
      expansion.axes.count == 1, let axis = expansion.axes.first, axis >= 1,
      tile.counts.indices.contains(axis),
      tile.counts.indices.allSatisfy({ $0 == axis || tile.counts[$0] == 1 })
    else { return nil }
    return (expanded[0], axis - 1, tile.counts[axis])
  }

  /// Adds a node.
  ///
  /// - Parameter outputNames: The names of its outputs in the file; by default generated ones.
  mutating func add(
    _ operation: any CatalogOperator, _ inputs: [ValueID], _ source: SourceScope,
    outputNames: [String]? = nil
  ) throws(WeighbridgeError) -> [ValueID] {
    if let id = undone(operation, inputs) { return [id] }
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.checkedOutputTypes(of: inputs.map { graph.type(of: $0) })
    } catch { throw .malformed(error.reason) }
    let name = source.nodeName
    var outputs: [String] = []
    for position in types.indices {
      let given = outputNames.flatMap { position < $0.count ? $0[position] : nil } ?? ""
      outputs.append(
        given.isEmpty ? unusedName(position == 0 ? name : "\(name):\(position)") : given)
    }
    let ids = try graph.addNode(
      operation, inputs: inputs, source: source, outputNames: outputs)
    for id in ids { makers[id] = (operation, inputs) }
    return ids
  }

  /// The original value, where an operator undoes the operator that produced its input.
  private func undone(_ operation: any CatalogOperator, _ inputs: [ValueID]) -> ValueID? {
    guard let input = inputs.first, let (turn, before) = makers[input] else { return nil }
    switch (operation, turn) {
    case (let back as Transpose, let turn as Transpose):
      return back.axes.map { turn.axes[$0] } == Array(turn.axes.indices) ? before[0] : nil
    case (let squeeze as Squeeze, let expansion as ExpandDims):
      return squeeze.axes == expansion.axes ? before[0] : nil
    default: return nil
    }
  }
}
