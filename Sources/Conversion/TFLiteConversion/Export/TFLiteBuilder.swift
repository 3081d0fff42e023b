import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// The operators of a graph under construction, in channels-last order.
struct TFLiteBuilder: OperandBuilder {
  static var table: ExportTable<TFLiteBuilder> { TFLiteOperators.table }
  static let foldsConstants = true
  static let wrapsIntegers = true
  let target = "TFLite"
  var scope = ExportScope<ExportOperand>()
  private(set) var nodes: [TFLiteNode] = []
  /// The types of all tensors, by name.
  private(set) var types: [String: TensorType] = [:]
  /// The elements of the weights, by the names of their tensors.
  private(set) var weights: [String: Tensor] = [:]
  /// What the integers of tensors stand for, by name.
  var quantizations: [String: TFLiteQuantization] = [:]
  /// The values that were rounded to integers, by name.
  var roundedValues: [String: [TFLiteQuantization: ExportOperand]] = [:]
  /// The tensors that keep their elements from one operator to the next.
  private(set) var variables: Set<String> = []
  private var names: UniqueNames
  private var weightNames: [ConstantKey: String] = [:]

  /// The floating-point types of the model that are computed in float32 here.
  let replacedTypes: Set<ElementType>

  /// - Parameters:
  ///   - reserved: Names that other tensors cannot have.
  ///   - replacedTypes: The types that are computed in float32.
  init(reserved: [String], replacedTypes: Set<ElementType> = []) {
    names = UniqueNames(reserved)
    self.replacedTypes = replacedTypes
  }

  mutating func unusedName(_ name: String) -> String { names.unused(name) }

  /// Adds an operator.
  ///
  /// - Parameters:
  ///   - inputs: Its inputs; `nil` for one that is absent.
  ///   - version: The lowest version of the operator that has the options.
  ///   - subgraphs: The condition and the body of a loop, or both branches.
  ///   - types: The types of its outputs.
  mutating func add(
    _ builtin: TFLiteBuiltin, _ inputs: [ExportOperand?], _ options: TFLiteBuiltinOptions? = nil,
    version: Int = 1, subgraphs: [TFLiteSubgraph] = [], types: [TensorType]
  ) throws(WeighbridgeError) -> [ExportOperand] {
    if let type = inputs.first??.type.elementType {
      try checkInput(type, of: builtin)
    }
    var inputNames: [String] = []
    for input in inputs { inputNames.append(try self.name(of: input)) }
    let name = unusedName("\(scope.prefix)/\(builtin)")
    let outputs = types.enumerated().map { index, type in
      ExportOperand(
        name: index == 0 ? name : unusedName("\(name):\(index)"), type: type, constant: nil)
    }
    for output in outputs { self.types[output.name] = fileType(output.type) }
    nodes.append(
      TFLiteNode(
        builtin: builtin, minimumVersion: version, inputs: inputNames,
        outputs: outputs.map(\.name), options: options, subgraphs: subgraphs))
    return outputs
  }

  /// Adds an operator with one output, which has the type of the first input by default.
  mutating func add(
    _ builtin: TFLiteBuiltin, _ inputs: ExportOperand?..., options: TFLiteBuiltinOptions? = nil,
    version: Int = 1, as type: TensorType? = nil
  ) throws(WeighbridgeError) -> ExportOperand {
    let type = type ?? inputs.lazy.compactMap { $0?.type }.first ?? outputType
    return try add(builtin, inputs, options, version: version, types: [type])[0]
  }

  /// Declares an input of the model.
  mutating func addInput(_ name: String, _ type: TensorType) -> ExportOperand {
    types[name] = fileType(type)
    return ExportOperand(name: name, type: type, constant: nil)
  }

  /// Makes a tensor one of 8-bit integers.
  mutating func setIntegers(_ name: String, _ quantization: TFLiteQuantization) {
    types[name] = types[name].map { TensorType(.int8, $0.shape) }
    quantizations[name] = quantization
  }

  /// Adds a weight of integers, whatever its name.
  mutating func addIntegers(
    _ name: String, _ tensor: Tensor, _ quantization: TFLiteQuantization
  ) -> String {
    let name = unusedName(name)
    (weights[name], types[name], quantizations[name]) = (tensor, tensor.type, quantization)
    return name
  }

  /// Declares a tensor that keeps its elements within a run; it begins with zeros.
  mutating func addVariable(_ role: String, _ type: TensorType) -> ExportOperand {
    let name = unusedName("\(scope.prefix)/\(role)")
    types[name] = fileType(type)
    variables.insert(name)
    return ExportOperand(name: name, type: type, constant: nil)
  }

  /// An operator that copies a tensor: a transposition that keeps the order. `nil` for a tensor
  /// without axes or with more than an interpreter transposes.
  mutating func copy(of name: String) -> TFLiteNode? {
    guard let type = types[name], (1...6).contains(type.rank),
      let order = try? self.name(of: integers(Array(0..<type.rank)))
    else { return nil }
    let copy = unusedName("\(name)/copy")
    (types[copy], quantizations[copy]) = (type, quantizations[name])
    return TFLiteNode(
      builtin: .transpose, minimumVersion: 1, inputs: [name, order], outputs: [copy])
  }

  /// The name of a tensor; empty for an absent one. A weight has one tensor for all uses.
  private mutating func name(of operand: ExportOperand?) throws(WeighbridgeError) -> String {
    guard let operand else { return "" }
    guard let tensor = operand.constant else { return operand.name }
    if let problem = problem(of: tensor.type) { throw .unsupported(problem) }
    let key = ConstantKey(tensor)
    if let existing = weightNames[key] { return existing }
    let name = unusedName(operand.name.isEmpty ? "constant_\(weights.count)" : operand.name)
    (weightNames[key], weights[name], types[name]) = (name, tensor, fileType(tensor.type))
    return name
  }
}

// Small building blocks.
extension TFLiteBuilder {
  /// A constant of 32-bit integers.
  func integers(_ numbers: [Int]) -> ExportOperand {
    .constant(Tensor(.int32, shape: [numbers.count], integers: numbers.map { Int32(clamping: $0) }))
  }

  /// A constant without axes.
  func scalar(_ number: Double, _ type: ElementType = .int32) -> ExportOperand {
    .constant(Tensor(type, shape: [], [number]))
  }

  mutating func binary(
    _ builtin: TFLiteBuiltin, _ x: ExportOperand, _ y: ExportOperand, giving type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    try elementwise(builtin, [x, y], as: type)
  }

  mutating func chosen(
    where condition: ExportOperand, _ x: ExportOperand, else y: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(.select, condition, x, y, as: x.type)
  }

  mutating func expanded(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    var result = x
    for axis in axes.sorted() { result = try expanded(result, axis) }
    return result
  }

  /// Inserts an axis of size 1.
  mutating func expanded(
    _ x: ExportOperand, _ axis: Int
  ) throws(WeighbridgeError) -> ExportOperand {
    var type = x.type
    type.shape.insert(1, at: axis)
    return try add(.expandDims, x, scalar(Double(axis)), as: type)
  }

  mutating func squeezed(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    var type = x.type
    for axis in axes.sorted(by: >) { type.shape.remove(at: axis) }
    return try add(.squeeze, x, options: .squeeze(axes), as: type)
  }

  /// Transposes a value: axis i is the input's axis `order[i]`.
  mutating func transposed(
    _ x: ExportOperand, _ order: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    guard order.count <= 6 else { throw .unsupported("TFLite transposes six axes at most") }
    return try add(
      .transpose, x, integers(order), as: x.type.with(shape: order.map { x.type.shape[$0] }))
  }

  mutating func sliced(
    _ x: ExportOperand, _ ranges: [Slice.Range], as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    guard x.type.rank <= 5 else { throw .unsupported("TFLite slices five axes at most") }
    var (starts, stops) = ([Int](repeating: 0, count: x.type.rank), [Int]())
    stops = starts
    var (steps, masks) = ([Int](repeating: 1, count: x.type.rank), (begin: 0, end: 0))
    for axis in 0..<x.type.rank {
      let range =
        ranges.first { $0.axis == axis }
        ?? Slice.Range(
          axis: axis, start: nil, stop: nil, step: 1)
      let isOpenStart = [Int.min, .max].contains(range.start)
      let isOpenStop = [Int.min, .max].contains(range.stop)
      (starts[axis], stops[axis]) = (isOpenStart ? 0 : range.start, isOpenStop ? 0 : range.stop)
      steps[axis] = range.step
      if isOpenStart || range.isWhole { masks.begin |= 1 << axis }
      if isOpenStop { masks.end |= 1 << axis }
    }
    return try add(
      .stridedSlice, x, integers(starts), integers(stops), integers(steps),
      options: .slice(beginMask: masks.begin, endMask: masks.end), as: type)
  }

  mutating func concatenated(
    _ values: [ExportOperand], axis: Int, as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(.concatenation, values, .concatenation(axis: axis), types: [type])[0]
  }

  /// Pads all axes with a number.
  mutating func padded(
    _ x: ExportOperand, _ before: [Int], _ after: [Int], value: Double = 0
  ) throws(WeighbridgeError) -> ExportOperand {
    guard (before + after).contains(where: { $0 != 0 }) else { return x }
    guard x.type.rank <= 5 else { throw .unsupported("TFLite pads five axes at most") }
    var type = x.type
    type.shape = zip(type.shape, zip(before, after)).map { size, border in
      size.value.map { .fixed($0 + border.0 + border.1) } ?? .unknown
    }
    let borders = ExportOperand.constant(
      Tensor(
        .int32, shape: [before.count, 2],
        zip(before, after).flatMap { [Double($0), Double($1)] }))
    if value == 0 { return try add(.pad, x, borders, as: type) }
    return try add(.padWithValue, x, borders, scalar(value, x.type.elementType), as: type)
  }

  /// A shape as a vector of 32-bit integers. A dynamic size is taken from an axis of a value.
  mutating func shape(
    _ sizes: [Dimension], from sources: [Int: (value: ExportOperand, axis: Int)]
  ) throws(WeighbridgeError) -> ExportOperand {
    if sizes.allSatisfy({ $0.value != nil }) { return integers(sizes.compactMap(\.value)) }
    var parts: [ExportOperand] = []
    for (position, size) in sizes.enumerated() {
      if let size = size.value {
        parts.append(integers([size]))
      } else if let source = sources[position] {
        parts.append(try self.size(source.value, source.axis))
      } else {
        parts.append(integers([-1]))
      }
    }
    return parts.count == 1
      ? parts[0] : try concatenated(parts, axis: 0, as: TensorType(.int32, [parts.count]))
  }

  /// The size of an axis when the model runs: a vector of one 32-bit integer.
  mutating func size(_ x: ExportOperand, _ axis: Int) throws(WeighbridgeError) -> ExportOperand {
    let shape = try add(
      .shape, x, options: .shape(.int32), as: TensorType(.int32, [x.type.rank]))
    return try sliced(shape, axis: 0, axis..<axis + 1)
  }

  /// Reshapes a value. Where several sizes are dynamic, `sources` says of which axes they are.
  mutating func reshaped(
    _ x: ExportOperand, as type: TensorType,
    from sources: [Int: (value: ExportOperand, axis: Int)] = [:]
  ) throws(WeighbridgeError) -> ExportOperand {
    let unknown = type.shape.indices.filter { type.shape[$0].value == nil }
    if unknown.count <= 1 {
      return try add(.reshape, x, integers(type.shape.map { $0.value ?? -1 }), as: type)
    }
    guard unknown.count(where: { sources[$0] == nil }) <= 1 else {
      throw .unsupported("reshapes to several sizes that are not known: \(type)")
    }
    return try add(.reshape, x, try shape(type.shape, from: sources), as: type)
  }
}
