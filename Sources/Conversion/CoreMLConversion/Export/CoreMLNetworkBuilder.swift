import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// The elements of a weight, and the name of the layer that uses it.
struct CoreMLWeightData: Sendable {
  /// The elements, or packed integers as bytes.
  let tensor: Tensor
  /// The type in which they are stored.
  let storedType: ElementType
  let name: String
}

/// The layers of a graph under construction.
struct CoreMLNetworkBuilder: ExportBuilder {
  static var table: ExportTable<CoreMLNetworkBuilder> { CoreMLOperators.table }
  static let foldsConstants = false
  static let wrapsIntegers = false

  /// The meaning of the axes of values inside the network.
  enum Axes: Sendable {
    /// S, B, C, H, W, as up to specification version 3: a graph's
    /// `[batch, channels, height, width]` is B, C, H, W, and its `[batch, features]` is B, C.
    case images
    /// Exactly those of the graph; specification version 4 and later.
    case exact
  }

  /// The largest rank of a value.
  static let maximumRank = 5

  /// The meaning of the axes of values.
  let axes: Axes
  /// The floating-point type of stored weights.
  private let precision: ExportPrecision
  /// Whether weights may be stored as in the model: as integers or in half precision.
  private let keepsEncodings: Bool
  /// The weights that take more space than in the model.
  private(set) var widened = WidenedWeights()
  private(set) var layers: [CoreMLLayer] = []
  /// The data of the weights; a placeholder's offset is an index into them.
  private(set) var weights: [CoreMLWeightData] = []
  /// The lowest specification version that has all layers.
  private(set) var version = 1
  let target = "Core ML"
  var scope = ExportScope<ExportOperand>()
  private var valueNames: UniqueNames
  private var layerNames = UniqueNames()
  private var constantNames: [ConstantKey: String] = [:]

  /// Creates a builder without layers.
  ///
  /// - Parameters:
  ///   - maximumVersion: The latest specification version that may be needed; any when `nil`.
  ///   - reserved: Names that outputs of layers cannot have.
  init(axes: Axes, precision: ExportPrecision, maximumVersion: Int?, reserved: [String]) {
    self.axes = axes
    self.precision = precision
    keepsEncodings = maximumVersion ?? .max >= CoreMLVersions.firstQuantized
    valueNames = UniqueNames(reserved)
  }
}

extension CoreMLNetworkBuilder {
  /// Returns the name of an input; a weight becomes a constant.
  mutating func input(_ position: Int = 0) throws(WeighbridgeError) -> String {
    try input(operands[position])
  }

  /// Returns the name of a value; a weight becomes a constant.
  mutating func input(_ operand: ExportOperand) throws(WeighbridgeError) -> String {
    guard let tensor = operand.constant else { return operand.name }
    return try constant(tensor)
  }

  /// Returns the names of all inputs.
  mutating func allInputs() throws(WeighbridgeError) -> [String] {
    var names: [String] = []
    for position in operands.indices { names.append(try input(position)) }
    return names
  }

  /// Adds a layer with one output.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the axes are those of images and the
  ///   layer does not support them.
  mutating func add(
    _ kind: String, _ inputs: [String], _ settings: ProtobufRecord = [:]
  ) throws(WeighbridgeError) -> String {
    try add(kind, inputs, settings, outputCount: 1)[0]
  }

  /// Adds a layer with several outputs.
  ///
  /// - Throws: What ``add(_:_:_:)`` throws.
  mutating func add(
    _ kind: String, _ inputs: [String], _ settings: ProtobufRecord, outputCount: Int
  ) throws(WeighbridgeError) -> [String] {
    let required = CoreMLVersions.version(of: kind)
    guard axes == .exact || required <= CoreMLVersions.lastWithImageAxes else {
      throw Self.needsExactAxes(kind)
    }
    if let rank = scope.outputTypes.map(\.rank).max(), rank > Self.maximumRank {
      throw .unsupported("becomes arrays of \(rank) axes on the way, and Core ML can have 5")
    }
    version = max(version, required)
    let isFirst = !layerNames.contains(scope.prefix)
    let name = layerNames.unused(isFirst ? scope.prefix : "\(scope.prefix)/\(kind)")
    let outputs = (0..<outputCount).map { position in
      valueNames.unused(position == 0 ? "\(name)_output" : "\(name)_output_\(position)")
    }
    layers.append(
      CoreMLLayer(name: name, kind: kind, inputs: inputs, outputs: outputs, settings: settings))
    return outputs
  }

  /// Raises the specification version to at least a required one.
  mutating func require(version required: Int) { version = max(version, required) }

  /// The error for something that cannot be written with the axes of images.
  static func needsExactAxes(_ what: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "\(what) needs specification version 4 or later")
  }

  /// Refuses what cannot be written with the axes of images.
  func requireExactAxes(_ what: String) throws(WeighbridgeError) {
    if axes == .images { throw Self.needsExactAxes(what) }
  }

  /// Returns a name that no value has yet.
  mutating func unusedName(_ name: String) -> String { valueNames.unused(name) }
}

// Weights and constants.
extension CoreMLNetworkBuilder {
  /// Stores a tensor as a setting of a layer.
  ///
  /// - Parameter hasChannels: Whether the first axis is the layer's output channels, each of which
  ///   may have a scale.
  mutating func weights(_ tensor: Tensor, hasChannels: Bool = false) -> ProtobufValue {
    if keepsEncodings, let stored = tensor.quantized,
      let packed = CoreMLPackedWeights(stored, hasChannels: hasChannels)
    {
      require(version: CoreMLVersions.firstQuantized)
      return add(packed.bytes, as: .uint8, .quantized(bits: stored.bits, packed.meaning))
    }
    if precision == .float16 || keepsEncodings && tensor.storedHalfType == .float16 {
      require(version: 2)
      return add(tensor, as: .float16, .float16)
    }
    widened.add(tensor)
    return add(tensor, as: .float32, .float32)
  }

  private mutating func add(
    _ tensor: Tensor, as type: ElementType, _ encoding: CoreMLWeights.Encoding
  ) -> ProtobufValue {
    let byteRange = ProtobufByteRange(
      offset: weights.count, byteCount: tensor.count * type.byteCount)
    weights.append(CoreMLWeightData(tensor: tensor, storedType: type, name: scope.prefix))
    return .record(CoreMLWeights(encoding, at: byteRange).record)
  }

  /// Stores an input that is a weight as a setting of a layer.
  mutating func weights(_ position: Int) throws(WeighbridgeError) -> ProtobufValue {
    weights(try tensor(position))
  }

  /// Stores numbers as a setting of a layer.
  mutating func weights(_ numbers: [Double]) -> ProtobufValue {
    weights(Tensor(.float32, shape: [numbers.count], numbers))
  }

  /// Adds a constant, which is stored once however often it is used.
  mutating func constant(_ tensor: Tensor) throws(WeighbridgeError) -> String {
    try requireExactAxes("a constant")
    let key = ConstantKey(tensor)
    if let name = constantNames[key] { return name }
    let outerPrefix = scope.prefix
    scope.prefix = "constant_\(weights.count)"
    defer { scope.prefix = outerPrefix }
    // A constant has at least one axis.
    let shape = tensor.shape.isEmpty ? [1] : tensor.shape
    let name = try add(
      "loadConstantND", [], ["shape": .integers(shape), "data": weights(tensor)])
    constantNames[key] = name
    return name
  }

  /// Adds a constant of one number, with one axis.
  mutating func number(_ number: Double) throws(WeighbridgeError) -> String {
    try constant(Tensor(.float32, shape: [1], [number]))
  }

  /// Adds a constant of several numbers.
  mutating func numbers(
    _ numbers: [Double], shape: [Int]? = nil
  ) throws(WeighbridgeError) -> String {
    try constant(Tensor(.float32, shape: shape ?? [numbers.count], numbers))
  }
}
