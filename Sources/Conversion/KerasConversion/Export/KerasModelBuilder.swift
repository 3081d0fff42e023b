import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// A value of the graph, as passed to the rules of operators.
struct KerasValue: ExportValue {
  /// The form of a value in the file.
  enum Source: Sendable {
    /// The output of a layer.
    case tensor(KerasTensorReference)
    /// The elements of a constant.
    case constant(Tensor)
    /// The mask of steps that TensorFlow.js makes of a tensor and passes on by itself.
    case mask(of: KerasTensorReference)
  }

  let source: Source
  let type: TensorType
  let name: String

  var constant: Tensor? { if case .constant(let tensor) = source { tensor } else { nil } }

  /// The output of a layer; `nil` for a constant.
  var reference: KerasTensorReference? {
    if case .tensor(let reference) = source { reference } else { nil }
  }

  static func weight(_ tensor: Tensor, named name: String) -> KerasValue {
    KerasValue(source: .constant(tensor), type: tensor.type, name: name)
  }
}

/// A weight that a rule passes to a layer, in Keras' axis order.
struct KerasLayerWeight {
  let name: String
  let tensor: Tensor
  /// The object inside the layer that owns it; empty for the layer itself.
  var owner = ""
}

/// The layers of a graph under construction.
struct KerasModelBuilder: ExportBuilder {
  static var table: ExportTable<KerasModelBuilder> { KerasOperators.table }
  static let foldsConstants = true
  static let wrapsIntegers = true

  /// The format that is written.
  let format: KerasOutputFormat
  var layers: [KerasWrittenLayer] = []
  /// The elements of each layer's weights, by its name.
  var elements: [String: [Tensor]] = [:]
  /// Descriptions of what is stored in another form.
  private(set) var losses: Set<String> = []
  var scope = ExportScope<KerasValue>()
  /// The activation that the operator's layer absorbs.
  private(set) var fusedActivation = "linear"
  let fusion: KerasFusion
  /// What layers of TensorFlow.js do by themselves.
  var steps = TensorFlowJSSteps()
  /// The position of the node that is written.
  private(set) var position = 0
  /// The tensors that a layer or function reversed along the axis of time, by its output.
  var reversals: [KerasTensorReference: KerasTensorReference] = [:]
  private var names = UniqueNames(firstNumber: 1)  // as Keras numbers its layers
  /// The positions of layers with weights, by their identity.
  private var shared: [SharedKey: Int] = [:]

  private struct SharedKey: Hashable {
    let className: String
    let config: JSONObject
    let weights: [SharedWeight]
  }

  /// Names alone do not identify constants: those that are computed during the export have none.
  private struct SharedWeight: Hashable {
    let name: String
    let elements: ConstantKey
  }

  /// Starts a model.
  init(format: KerasOutputFormat, _ graph: Graph) {
    self.format = format
    fusion = KerasFusion(graph, format)
  }

  var target: String {
    switch format {
    case .archive: "Keras 3"
    case .hdf5: "Keras 2.15"
    case .tensorFlowJS: "TensorFlow.js"
    }
  }

  /// The nodes that are written together.
  var groups: ExportGroups { fusion.groups }
}

extension KerasModelBuilder {
  /// An input by its position; the only one by default.
  subscript(_ position: Int) -> KerasValue { operands[position] }

  /// Records a loss.
  mutating func note(_ loss: String) { losses.insert(loss) }

  /// An unused name, in characters that TensorFlow accepts.
  mutating func unusedName(_ proposedName: String) -> String {
    var name = String(
      proposedName.unicodeScalars.map { scalar -> Character in
        let isPlain =
          scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        return isPlain || scalar == "." || scalar == "-" ? Character(scalar) : "_"
      })
    if name.first.map({ $0 == "_" || $0 == "-" }) ?? true { name = "layer" + name }
    return names.unused(name)
  }

  /// Adds a layer with one output.
  mutating func layer(
    _ className: String, _ config: JSONObject = [:], _ inputs: [KerasValue]? = nil,
    weights: [KerasLayerWeight] = [], type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    let inputs = inputs ?? [operands[0]]
    let arguments = try inputs.map { (input) throws(WeighbridgeError) in try argument(input) }
    let call = KerasWrittenCall([arguments.count == 1 ? arguments[0] : .list(arguments)])
    return try layer(
      className, config, call, weights: weights, types: [type ?? outputType])[0]
  }

  /// Adds a call of a layer; an existing layer with the same settings and weights is called again.
  mutating func layer(
    _ className: String, _ settings: JSONObject, _ call: KerasWrittenCall,
    weights: [KerasLayerWeight] = [], types: [TensorType]
  ) throws(WeighbridgeError) -> [KerasValue] {
    let elementType = types.first?.elementType ?? .float32
    let computeType = elementType.isFloat ? elementType : .float32
    let dtype: JSONObject = ["dtype": .string(computeType.rawValue)]
    var (className, config) = (className, dtype.merging(settings))
    if format == .tensorFlowJS {
      try TensorFlowJSLayers.check(
        className, config, inputRank: operands.map(\.type.rank).max() ?? 0,
        rank: types.first?.rank ?? 0)
      (className, config) = try steps.wrapped(className, config, call)
    }
    let constants = weights.isEmpty ? [] : operands.compactMap(Self.sharedWeight)
    let key = SharedKey(className: className, config: config, weights: constants)
    if !constants.isEmpty, let index = shared[key] {
      layers[index].calls.append(call)
      return values(of: layers[index], types)
    }
    let name = add(
      KerasWrittenLayer(
        name: unusedName(scope.prefix), className: className, module: "keras.layers",
        config: config,
        weights: weights.map {
          KerasWrittenWeight(
            name: $0.name, owner: $0.owner, elementType: $0.tensor.elementType,
            shape: $0.tensor.shape)
        }, calls: [call]))
    elements[name] = weights.map(\.tensor)
    if !constants.isEmpty { shared[key] = layers.count - 1 }
    return values(of: layers[layers.count - 1], types)
  }

  /// The outputs of the last call of a layer.
  private mutating func values(
    of layer: KerasWrittenLayer, _ types: [TensorType]
  ) -> [KerasValue] {
    let values = self.values(of: layer.name, call: layer.calls.count - 1, types)
    if format == .tensorFlowJS { steps.pass(through: layer, to: values) }
    return values
  }

  private static func sharedWeight(_ value: KerasValue) -> SharedWeight? {
    value.constant.map { SharedWeight(name: value.name, elements: ConstantKey($0)) }
  }

  /// Adds a function with one output whose arguments have the same names in Keras 3 and TensorFlow.
  mutating func function(
    _ function: KerasFunctionForm, _ inputs: [KerasValue], shared settings: JSONObject,
    type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    try self.function(function, inputs, settings: settings, tfArguments: settings, type: type)
  }

  /// Adds a function with one output, as a layer of its own.
  ///
  /// - Parameters:
  ///   - values: The arguments of Keras 3's operation after the tensors.
  ///   - settings: The settings of Keras 3's operation.
  ///   - tfArguments: The arguments of TensorFlow's function other than the tensors.
  mutating func function(
    _ function: KerasFunctionForm, _ inputs: [KerasValue], values: [JSONValue] = [],
    settings: JSONObject = [:], tfArguments: JSONObject = [:], type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    let type = type ?? (inputs.first { $0.constant == nil } ?? inputs[0]).type
    let inputs =
      switch format {
      case .archive: function.isSum ? try summands(inputs) : inputs
      case .hdf5: try typed(inputs, of: function)
      case .tensorFlowJS: inputs
      }
    let arguments = try inputs.map { (input) throws(WeighbridgeError) in try argument(input) }
    if format == .archive {
      return operation(
        function.operation, in: function.module, arguments + values.map { .value($0) }, settings,
        types: [type])[0]
    }
    if format == .tensorFlowJS { return try merged(function, inputs, type) }
    guard let tensorFlow = function.tensorFlow else {
      throw .unsupported("Keras 2 has no function like \(function.operation) of Keras 3")
    }
    var keywords = zip(function.names.dropFirst(), arguments.dropFirst()).map {
      (name: $0, value: $1)
    }
    keywords += tfArguments.members.map { (name: $0.key, value: .value($0.value)) }
    let name = add(
      KerasWrittenLayer(
        name: unusedName(scope.prefix), className: function.olderClass, module: "keras.layers",
        config: ["dtype": "float32", "function": .string(tensorFlow)],
        calls: [KerasWrittenCall(Array(arguments.prefix(1)), keywords: keywords)]))
    return self.values(of: name, call: 0, [type])[0]
  }

  /// Adds an operation of Keras 3, as a layer of its own.
  ///
  /// - Parameter types: Those of its outputs.
  mutating func operation(
    _ className: String, in module: String, _ arguments: [KerasWrittenArgument],
    _ settings: JSONObject, types: [TensorType]
  ) -> [KerasValue] {
    let name = add(
      KerasWrittenLayer(
        name: unusedName(scope.prefix), className: className, module: "keras.src.ops.\(module)",
        config: settings, calls: [KerasWrittenCall(arguments)]))
    return values(of: name, call: 0, types)
  }

  /// Adds the layer that computes a function of two tensors; TensorFlow.js has no functions.
  private mutating func merged(
    _ function: KerasFunctionForm, _ inputs: [KerasValue], _ type: TensorType
  ) throws(WeighbridgeError) -> KerasValue {
    let classes = ["Add", "Multiply", "Maximum", "Minimum"]
    guard classes.contains(function.operation), inputs.allSatisfy({ $0.constant == nil }) else {
      throw .unsupported(
        "TensorFlow.js has layers only, and none that computes \(function.operation) of "
          + (inputs.count > 1 ? "a tensor and a constant" : "a tensor"))
    }
    return try layer(function.operation, [:], inputs, type: type)
  }

  /// Returns two tensors in an order in which Keras 3 adds them elementwise.
  ///
  /// On TensorFlow it treats a second tensor with only one axis of more than one element as a bias
  /// of the last or second axis of the first tensor, if that has the same size, wherever the axis
  /// is (`keras/src/backend/tensorflow/numpy.py`, `add`).
  private func summands(_ inputs: [KerasValue]) throws(WeighbridgeError) -> [KerasValue] {
    guard inputs.count == 2, Self.isTakenForBias(inputs[1].type, of: inputs[0].type) else {
      return inputs
    }
    guard !Self.isTakenForBias(inputs[0].type, of: inputs[1].type) else {
      throw .unsupported("adds two tensors of which Keras 3 treats one as a bias of the other")
    }
    return [inputs[1], inputs[0]]
  }

  private static func isTakenForBias(_ bias: TensorType, of sum: TensorType) -> Bool {
    let nonUnitAxes = bias.shape.indices.filter { bias.shape[$0].value != 1 }
    guard nonUnitAxes.count == 1, let dimension = bias.shape[nonUnitAxes[0]].value, sum.rank > 1
    else { return false }
    // As in broadcasting, the last axes are aligned.
    let axis = sum.rank - bias.rank + nonUnitAxes[0]
    if sum.shape[sum.rank - 1].value == dimension { return axis != sum.rank - 1 }
    return sum.shape[1].value == dimension && axis != 1
  }

  private mutating func add(_ layer: KerasWrittenLayer) -> String {
    layers.append(layer)
    return layer.name
  }

  private func values(of layer: String, call: Int, _ types: [TensorType]) -> [KerasValue] {
    types.enumerated().map { position, type in
      KerasValue(
        source: .tensor(KerasTensorReference(layer: layer, call: call, tensor: position)),
        type: type, name: layer)
    }
  }

  /// Adds an input of the model.
  mutating func addInput(
    _ name: String, _ type: TensorType
  ) throws(WeighbridgeError) -> KerasValue {
    if format == .tensorFlowJS { try TensorFlowJSLayers.check(type.elementType) }
    let shape = JSONValue.array(type.shape.map { $0.value.map(JSONValue.integer) ?? .null })
    let key = format == .archive ? "batch_shape" : "batch_input_shape"
    let name = add(
      KerasWrittenLayer(
        name: unusedName(name), className: "InputLayer", module: "keras.layers",
        config: [
          key: shape, "dtype": .string(type.elementType.rawValue), "sparse": false,
          "ragged": false,
        ]))
    let value = values(of: name, call: 0, [type])[0]
    steps.addInput(value)
    return value
  }
}

extension KerasModelBuilder {
  /// Returns a value as an argument of a call.
  func argument(_ value: KerasValue) throws(WeighbridgeError) -> KerasWrittenArgument {
    switch value.source {
    case .tensor(let reference):
      return .tensor(reference, value.type.elementType, value.type.shape.map(\.value))
    case .constant(let tensor): return .value(try json(tensor))
    case .mask:
      throw .unsupported(
        "takes a mask as numbers, and TensorFlow.js has masks for recurrent layers only")
    }
  }

  /// The largest number of elements of a constant that is written as JSON in the model.
  private static let constantLimit = 1 << 16

  /// A constant as Keras writes it among the arguments of a call.
  private func json(_ tensor: Tensor) throws(WeighbridgeError) -> JSONValue {
    guard tensor.count <= Self.constantLimit else {
      throw .unsupported(
        "takes a constant of \(tensor.count.counted("number")); Keras stores it as text in the model, and at "
          + "most \(Self.constantLimit) numbers are written as text")
    }
    let numbers = tensor.doubles
    guard numbers.allSatisfy(\.isFinite) else {
      throw .unsupported("takes a constant that is infinite or NaN")
    }
    var elements = numbers.map { tensor.elementType == .bool ? .bool($0 != 0) : JSONValue.real($0) }
    if tensor.elementType.isInteger {
      let integers = tensor.wrappedIntegers
      guard tensor.elementType != .uint64 || integers.allSatisfy({ $0 >= 0 }) else {
        throw .unsupported(
          "takes a constant beyond 2^63 - 1, the largest whole number in the text of a model")
      }
      elements = integers.map { .integer(Int($0)) }
    }
    for dimension in tensor.shape.dropFirst().reversed() {
      elements = stride(from: 0, to: elements.count, by: max(1, dimension)).map {
        .array(Array(elements[$0..<min($0 + dimension, elements.count)]))
      }
    }
    if tensor.shape.isEmpty { return elements[0] }
    guard format == .archive else { return .array(elements) }
    return .object([
      "class_name": "__numpy__",
      "config": .object([
        "value": .array(elements), "dtype": .string(tensor.elementType.rawValue),
      ]),
    ])
  }

  /// Creates a scalar, in the element type of the first input unless another is given.
  func number(_ number: Double, _ type: ElementType? = nil) -> KerasValue {
    constant(Tensor(type ?? operands[0].type.elementType, shape: [], [number]))
  }

  /// Creates a small constant.
  func constant(_ tensor: Tensor) -> KerasValue {
    KerasValue(source: .constant(tensor), type: tensor.type, name: "constant")
  }
}

extension KerasModelBuilder {
  /// Returns the weights of a normalization: a scale and an offset where it has them, then the
  /// others.
  func scales(
    _ hasScale: Bool, _ hasCenter: Bool, and others: [String] = []
  ) throws(WeighbridgeError) -> [KerasLayerWeight] {
    let names = (hasScale ? ["gamma"] : []) + (hasCenter ? ["beta"] : []) + others
    return try names.enumerated().map { (position, name) throws(WeighbridgeError) in
      KerasLayerWeight(name: name, tensor: try tensor(position + 1))
    }
  }

  func value(_ output: KerasValue, _ type: TensorType) -> KerasValue { output }

  func problem(of type: TensorType) -> String? { nil }

  mutating func emit(
    _ step: ExportStep<KerasValue>
  ) throws(WeighbridgeError) -> [KerasValue] {
    let name = fusion.name(of: step.position)
    position = step.position
    guard let layer = step.absorbed.first else {
      return try apply(step.node.operation, named: name, step.inputs[0], isUsed: step.isUsed)
    }
    fusedActivation = fusion.activation(of: step.position)
    let outputs = try apply(layer.operation, named: name, step.inputs[0])
    fusedActivation = "linear"
    // The layer was folded to a constant, so its activation has not been applied.
    guard outputs[0].constant != nil else { return outputs }
    return try apply(step.node.operation, named: name, outputs)
  }
}

extension JSONObject {
  /// Returns the members of both, those of this object first; the other's values take precedence.
  func merging(_ other: JSONObject) -> JSONObject {
    var result = self
    for key in other.keys { result[key] = other[key] }
    return result
  }
}
