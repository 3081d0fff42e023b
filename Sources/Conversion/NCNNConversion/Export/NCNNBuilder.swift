import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import NCNNFormat

/// An array of ncnn: up to four axes, without a batch axis.
struct NCNNBlob: Sendable {
  /// Its name.
  let name: String
  /// Its sizes, outermost first; `nil` where a size is dynamic.
  let shape: [Int?]
}

extension NCNNLayer: ExportNode {}

/// The layers of a graph under construction. A value of shape `[1, ...]` is a blob `[...]`.
struct NCNNBuilder: ExportBuilder {
  static var table: ExportTable<NCNNBuilder> { NCNNOperators.table }
  static let foldsConstants = true
  static let wrapsIntegers = false
  /// The largest rank of a blob.
  static let maximumRank = 4

  let target = "ncnn"
  var scope = ExportScope<ExportOperand>()
  private(set) var layers: [NCNNLayer] = []
  /// The weights of layers, by their names.
  private(set) var weights: [String: [Tensor]] = [:]
  /// The inputs that only embeddings read, which are integers.
  let indexInputs: Set<String>
  private var names: UniqueNames
  private var constants: [ConstantKey: NCNNBlob] = [:]
  /// What is known of the elements of blobs, by their names.
  private var ranges: [String: NCNNRange] = [:]

  /// - Parameter reserved: Names that outputs of layers cannot have.
  init(reserved: [String], indexInputs: Set<String>) {
    names = UniqueNames(reserved)
    self.indexInputs = indexInputs
  }

  /// An unused name that is valid in a `.param` file.
  mutating func unusedName(_ name: String) -> String { names.unused(Self.validName(name)) }

  /// A name that is valid in a `.param` file: without whitespace, and short enough for a numeric
  /// suffix.
  static func validName(_ name: String) -> String {
    var result = String(name.map { $0.isWhitespace || $0 == "\0" ? "_" : $0 })
    while result.utf8.count > NCNNModel.maximumNameByteCount - 15 { result.removeLast() }
    return result.isEmpty ? "_" : result
  }

  func problem(of type: TensorType) -> String? {
    guard type.rank <= Self.maximumRank + 1 else {
      return "ncnn has four axes besides the batch at most, and it has \(type.rank - 1)"
    }
    guard type.shape.first == 1 || type.rank == 0 else {
      return
        "works along the batch axis, which ncnn's blobs do not have, and \(type) is not one example along its first axis"
    }
    return type.shape.contains(0) ? "ncnn has no arrays without elements" : nil
  }

  /// The shape of a value without the batch axis; `[1]` if no axis remains.
  static func shape(_ type: TensorType) -> [Int?] {
    type.rank < 2 ? [1] : type.shape.dropFirst().map(\.value)
  }

  /// Sizes as the settings of `Input`, `MemoryData` and `Reshape`.
  static func sizes(_ shape: [Int]) -> [Int: Int] {
    let ids = [[0], [1, 0], [2, 1, 0], [2, 11, 1, 0]][shape.count - 1]
    return Dictionary(zip(ids, shape), uniquingKeysWith: { first, _ in first })
  }

  /// Adds a layer, with its settings of each type. By default, it reads the first input of the
  /// operator, and its outputs have the shapes of the operator's outputs.
  mutating func add(
    _ type: String, _ inputs: [NCNNBlob]? = nil, _ integers: [Int: Int] = [:],
    floats: [Int: Double] = [:], lists: [Int: NCNNParameter] = [:], weights: [Tensor] = [],
    shapes: [[Int?]]? = nil
  ) throws(WeighbridgeError) -> [NCNNBlob] {
    var layerInputs = inputs ?? []
    if inputs == nil { layerInputs = [try input()] }
    let name = unusedName("\(scope.prefix)/\(type)")
    let outputs = (shapes ?? scope.outputTypes.map(Self.shape)).enumerated().map {
      NCNNBlob(name: $0 == 0 ? name : unusedName("\(name):\($0)"), shape: $1)
    }
    var settings = integers.mapValues { NCNNParameter.integer($0) }
    for (id, number) in floats {
      settings[id] = .float(Float(number))
      guard Float(number).isFinite || (type == "Clip" && !number.isNaN) else {
        throw .unsupported("has the setting \(number), and ncnn stores finite float32 numbers")
      }
    }
    settings.merge(lists) { $1 }
    layers.append(
      NCNNLayer(
        type: type, name: name, inputs: layerInputs.map(\.name),
        outputs: outputs.map(\.name), parameters: settings))
    if !weights.isEmpty { self.weights[name] = weights }
    let known = layerInputs.map { ranges[$0.name] ?? .unknown }
    let range =
      type == "MemoryData"
      ? NCNNRange(of: weights[0].doubles)
      : NCNNRange(of: type, integers[0] ?? 0, floats: floats, known)
    for output in outputs { ranges[output.name] = range }
    return outputs
  }

  /// Refuses inputs whose elements can be NaN, or infinite though no weight is.
  func requireFinite(_ indices: Range<Int>) throws(WeighbridgeError) {
    let isFinite = operands[indices].allSatisfy { operand in
      operand.constant.map { !$0.doubles.contains(where: \.isNaN) }
        ?? (ranges[operand.name] ?? .unknown).isFinite
    }
    if isFinite { return }
    throw .unsupported(
      "compares or chooses between numbers that a root, a logarithm or a quotient can make NaN or "
        + "infinite, and ncnn, which multiplies by 0 or 1, can do that with finite ones only")
  }

  /// Adds a layer with one output.
  mutating func add(
    _ type: String, _ inputs: [NCNNBlob]? = nil, _ integers: [Int: Int] = [:],
    floats: [Int: Double] = [:], lists: [Int: NCNNParameter] = [:], weights: [Tensor] = [],
    shape: [Int?]? = nil
  ) throws(WeighbridgeError) -> NCNNBlob {
    try add(
      type, inputs, integers, floats: floats, lists: lists, weights: weights,
      shapes: [shape ?? Self.shape(outputType)])[0]
  }
}

// The inputs and outputs of the operator being translated.
extension NCNNBuilder {
  /// Returns an input as a blob. A weight becomes a layer that contains it, only one for all uses.
  mutating func input(_ index: Int = 0) throws(WeighbridgeError) -> NCNNBlob {
    let operand = operands[index]
    guard let tensor = operand.constant else {
      return NCNNBlob(name: operand.name, shape: Self.shape(operand.type))
    }
    return try constant(tensor)
  }

  /// Returns an input as a blob; the infinities of a weight become the largest float32 numbers.
  mutating func finiteInput(_ index: Int) throws(WeighbridgeError) -> NCNNBlob {
    guard let tensor = operands[index].constant, tensor.elementType.isFloat,
      tensor.doubles.contains(where: \.isInfinite)
    else { return try input(index) }
    let largest = Double(Float.greatestFiniteMagnitude)
    return try constant(
      Tensor(.float32, shape: tensor.shape, tensor.doubles.map { min(max($0, -largest), largest) }))
  }

  /// Returns a blob that contains a tensor, one for all uses.
  private mutating func constant(_ tensor: Tensor) throws(WeighbridgeError) -> NCNNBlob {
    if let problem = problem(of: tensor.type) { throw .unsupported(problem) }
    let key = ConstantKey(tensor)
    if let existing = constants[key] { return existing }
    let outerPrefix = scope.prefix
    scope.prefix = "constant_\(constants.count)"
    defer { scope.prefix = outerPrefix }
    let shape = Self.shape(tensor.type).compactMap { $0 }
    let blob: NCNNBlob = try add(
      "MemoryData", [], Self.sizes(shape), weights: [tensor], shape: shape)
    constants[key] = blob
    return blob
  }

  /// All inputs as blobs.
  mutating func allInputs() throws(WeighbridgeError) -> [NCNNBlob] {
    var blobs: [NCNNBlob] = []
    for index in operands.indices { blobs.append(try input(index)) }
    return blobs
  }

  /// Reshapes a blob to the shape of a value.
  mutating func shaped(
    _ blob: NCNNBlob, _ type: TensorType
  ) throws(WeighbridgeError) -> NCNNBlob {
    if let problem = problem(of: type) { throw .unsupported(problem) }
    return try reshape(blob, Self.shape(type))
  }
}
