import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Converts a Keras model to a graph that mirrors it. Nested models are inlined; each node keeps
/// the path of its layer, `outer/inner/layer`.
///
/// Every layer, every setting and every weight is used exactly once; otherwise the import fails
/// with an error that names what remains.
struct KerasImporter: ~Copyable {
  /// The result of an import.
  struct Result: Sendable {
    /// The model's computation.
    let graph: Graph
    /// How ambiguities of the file were resolved.
    let decisions: [Provenance.Decision]
  }

  /// A call of a layer in the current model, by the indices of the layer and the call.
  struct CallKey: Hashable {
    let layer: Int
    let call: Int
  }

  /// A call of a layer.
  struct LayerCall {
    let record: KerasLayerRecord
    /// The prefix of the layer's name: empty, or `outer/`.
    let path: String
    /// The index of the call.
    let number: Int
    let inputs: [ValueID]
    /// The keys of the inputs, if they are given as a dictionary.
    var inputKeys: [String]?
    var arguments = KerasLayer.CallArguments()
    var operands: KerasOperands?
    /// Whether it is in training mode, by its own argument or that of a model around it.
    var isTraining = false
    /// The types that the file states for its outputs.
    var stated: () -> [Int: KerasStatedType] = { [:] }

    /// The layer's path.
    var name: String { path + record.name }

    /// The origin that its nodes record.
    var source: SourceScope {
      SourceScope(layer: name, className: record.className, call: number)
    }
  }

  let writer: KerasProducer
  /// Converts the layers of a Keras 1 model to those of Keras 2.
  let dialect: Keras1Dialect?
  /// What the user says about custom layers.
  let custom: CustomLayerPolicy
  /// The builders of custom functions.
  private let functions: [String: KerasMapping.Build]
  var network = KerasNetwork()
  /// The weights of each layer, by its path.
  var weights: [String: [KerasLayer.Weight]]
  /// The lines of the vocabularies that are not in the settings, by the layer's path.
  private var vocabularies: [String: [String]] = [:]
  /// Whether what the file does not say is an error.
  private var isStrict = false
  /// The layers whose weights are in the order in which they are taken, whatever is frozen.
  var layersInOrder: Set<String> = []
  /// Whether those of all layers are: the file has the weights of each object by themselves.
  let weightStorage: WeightStorage
  /// The largest number of a weight's elements when all weights are zeros until another file
  /// supplies them.
  let zerosLimit: Int?
  /// The graph values of each layer's weights, by its path and their roles.
  private var weightValues: [String: [String: ValueID]] = [:]
  /// The input shapes that the user states.
  let stated: StatedShapes
  /// A possible cause of an error after the inputs: a shape that the user stated, or one with
  /// unknown sizes.
  var inputNote: String?
  /// Whether the user stated a size that the file does not.
  var isShapeStated = false
  /// The kept layer that makes a value's shape unknown, for each such value.
  var guesses: [ValueID: KeptLayer] = [:]
  /// What is known about unknown layers, while it is being collected.
  var survey: LayerSurvey?
  /// Whether the model that is being inlined is called in training mode.
  private var isTraining = false
  /// The layers' requests, while the weights of a nested model are being distributed.
  var requests: WeightRequests?

  /// Imports a model.
  ///
  /// - Parameters:
  ///   - model: The architecture.
  ///   - writer: The version of Keras whose semantics apply, and its backend.
  ///   - weights: The weights of each layer, by its name, in the order of the file; or all of them in
  ///     one list, under an empty name.
  ///   - vocabularies: The lines of the vocabularies that are not in the settings, by the layer's name.
  ///   - weightStorage: How the weights of a layer are stored.
  ///   - custom: What is said about custom layers. The model must have passed
  ///     ``CustomLayerPolicy/check(_:_:weights:surveyed:)``.
  ///   - inputShapes: The input shapes that the user states.
  ///   - isStrict: Whether what the file does not say, and only a default or a rule of thumb tells, is
  ///     an error.
  ///   - zerosLimit: When given, all weights are zeros of at most this many elements each, because
  ///     another file has them under the graph's names.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for unknown settings;
  ///   ``WeighbridgeError/Code/malformed`` where model and weights do not fit;
  ///   ``WeighbridgeError/Code/mismatch`` where stated shapes do not fit them.
  static func importModel(
    _ model: KerasModelRecord, writer: KerasProducer, weights: [String: [KerasLayer.Weight]],
    vocabularies: [String: [String]] = [:], weightStorage: WeightStorage = .list,
    custom: CustomLayerPolicy = CustomLayerPolicy(),
    inputShapes: [InputShape] = [], isStrict: Bool = false, zerosLimit: Int? = nil
  ) throws(WeighbridgeError) -> Result {
    var importer = KerasImporter(
      model, writer: writer, weights: weights, weightStorage: weightStorage, custom: custom,
      stated: try StatedShapes(inputShapes, inputs: inputNames(model)), zerosLimit: zerosLimit)
    importer.vocabularies = vocabularies
    importer.isStrict = isStrict
    let outputs: [ValueID]
    do throws(WeighbridgeError) {
      if let list = importer.weights.removeValue(forKey: "") {
        try importer.distribute(list, to: model)
      }
      try importer.checkWeightOwners(model)
      outputs = try importer.inline(model, path: "", inputs: nil)
    } catch {
      throw importer.noted(error)
    }
    let ports = importer.ports(model, outputs)
    return Result(
      graph: try importer.network.graph.finish(outputs: ports),
      decisions: importer.network.decisions)
  }

  init(
    _ model: KerasModelRecord, writer: KerasProducer, weights: [String: [KerasLayer.Weight]],
    weightStorage: WeightStorage, custom: CustomLayerPolicy, stated: StatedShapes, zerosLimit: Int?
  ) {
    self.weightStorage = weightStorage
    self.stated = stated
    self.writer = writer
    self.zerosLimit = zerosLimit
    self.custom = custom
    functions = custom.functions
    self.weights = weights
    dialect = Keras1Dialect(writer, model)
  }

  /// Adds a model's layers.
  ///
  /// - Parameters:
  ///   - path: The prefix of the layers' names: empty, or `outer/`.
  ///   - inputs: The inputs of a nested model; `nil` for the whole model, whose inputs become the
  ///     graph's.
  ///   - call: The index of the nested model's call.
  /// - Returns: The model's outputs.
  mutating func inline(
    _ model: KerasModelRecord, path: String, inputs: [ValueID]?, call: Int = 0
  ) throws(WeighbridgeError) -> [ValueID] {
    let needed = model.neededCalls
    if call == 0, requests == nil { try checkCalls(of: model, path: path, needed: needed) }
    var values = try bindInputs(model, path: path, inputs, call: call)
    for reference in model.callOrder {
      let key = CallKey(layer: reference.layer, call: reference.call)
      guard values[key] == nil else { continue }  // an input that is bound already
      let record = model.layers[reference.layer]
      let savedNetwork = needed.contains(reference) ? nil : network
      do throws(WeighbridgeError) {
        values[key] = try locating({ $0.at(layer: Self.label(record, path)) }) {
          () throws(WeighbridgeError) in
          if record.className == "InputLayer" {
            return [try addInput(try form(of: record).record)]
          }
          _ = try record.config.trainableFlag()
          return try addNoting(
            layerCall(reference, of: model, path: path, values, modelCall: call))
        }
      } catch {
        // Such as the operations that make a loss.
        guard let savedNetwork else { throw error }
        network = savedNetwork
        let reads = record.calls[reference.call].allInputs
        let isFirst = (try? Self.values(of: reads, model, values)) != nil
        guard call == 0, reference.call == 0, requests == nil, isFirst else { continue }
        network.decide(
          path + record.name,
          "It is left out with what depends on it, since no output needs it: it \(error.reason).")
      }
    }
    return try Self.values(of: model.outputs, model, values)
  }

  /// Adds a call. Notes which kept layer makes the shapes of its outputs unknown.
  private mutating func addNoting(
    _ call: LayerCall
  ) throws(WeighbridgeError) -> [ValueID] {
    let guess = call.inputs.compactMap { guesses[$0] }.first
    do throws(WeighbridgeError) {
      let outputs = try add(call)
      if let guess { note(guess, for: outputs) }
      return outputs
    } catch { throw guess?.explaining(error) ?? error }
  }

  /// The inputs and arguments of a call of a layer.
  ///
  /// - Parameter modelCall: The index of the model's call.
  private mutating func layerCall(
    _ reference: KerasCallReference, of model: KerasModelRecord, path: String,
    _ values: [CallKey: [ValueID]], modelCall: Int
  ) throws(WeighbridgeError) -> LayerCall {
    let record = model.layers[reference.layer]
    let written = record.calls[reference.call]
    let isFirst = model.isSequential && reference.layer == 0
    let references =
      isFirst ? values[.impliedInput] ?? [] : try Self.values(of: written.inputs, model, values)
    let tensors = try inserting(written.inputConstants, into: references, of: record, path)
    var arguments = KerasLayer.CallArguments(plain: written.arguments)
    let isTraining = takeMode(&arguments)
    try addConstants(&arguments, of: record, path)
    for argument in written.tensorArguments {
      let tensors = try Self.values(of: argument.tensors, model, values)
      arguments.tensors.append((argument.name, tensors))
    }
    // Layers of a model that is called again are called again themselves.
    return LayerCall(
      record: record, path: path, number: reference.call + modelCall * record.calls.count,
      inputs: tensors, inputKeys: written.inputKeys, arguments: arguments,
      operands: written.operands, isTraining: isTraining,
      stated: { model.statedOutputs(of: reference) })
  }

  /// Takes the argument `training`. A call without it is in the mode of the model around it. In
  /// Keras 3 the argument has no effect.
  private func takeMode(_ arguments: inout KerasLayer.CallArguments) -> Bool {
    guard writer.version.major < 3, let written = arguments.plain["training"], written != .null
    else { return isTraining }
    guard let mode = written.bool ?? written.integer.map({ $0 != 0 }) else { return isTraining }
    arguments.plain["training"] = nil
    return mode
  }

  /// Adds a layer, or the model that it is or wraps.
  private mutating func add(_ call: LayerCall) throws(WeighbridgeError) -> [ValueID] {
    let inner = try Self.distributedModel(call.record)
    guard call.record.isModel || inner != nil else { return try addLayer(call) }
    // Around a wrapped model, the statistics of a batch depend on how Keras passes the steps.
    if inner != nil, call.isTraining { try KerasTrainingMode.check(call.record, isKnown: true) }
    let outer = isTraining
    isTraining = call.isTraining
    defer { isTraining = outer }
    if let inner { return try addDistributed(inner, call) }
    return try addModel(call)
  }

  /// Records which kept layer makes the shapes of values unknown.
  private mutating func note(_ guess: KeptLayer, for outputs: [ValueID]) {
    for output in outputs where network.graph.type(of: output).shape.contains(.unknown) {
      guesses[output] = guess
    }
  }

  private mutating func addLayer(_ call: LayerCall) throws(WeighbridgeError) -> [ValueID] {
    let (form, decisions) = try form(of: call.record)
    let builder = try custom.builder(of: form, path: call.path)
    if case .function(let function) = builder { return try addFunction(function, call) }
    if survey != nil, case .kept = builder, let outputs = addProposed(form, call) {
      return outputs
    }
    if call.number == 0, requests == nil {
      let unstored = UnstoredSettings.decisions(of: call.record, writer.version)
      for text in decisions { network.decide(call.name, text) }
      for text in unstored { try presume(text, about: call.name) }
    }
    if call.number == 0, requests == nil { try mergeLowRankWeights(of: call) }
    try sortWrappedWeights(of: call) { (importer) throws(WeighbridgeError) in
      try importer.build(builder, form, call)
    }
    return try build(builder, form, call)
  }

  /// - Parameter form: The layer as Keras 2 or later would write it.
  mutating func build(
    _ builder: CustomLayerPolicy.Builder, _ form: KerasLayerRecord, _ call: LayerCall
  ) throws(WeighbridgeError) -> [ValueID] {
    if call.isTraining {
      try KerasTrainingMode.check(
        form, isKnown: form.registeredName == nil && KerasMappings.classes[form.className] != nil)
    }
    var settings = form.config
    if let lines = vocabularies[call.name] {
      settings["has_input_vocabulary"] = nil  // here it has
      settings["vocabulary"] = .array(lines.map { Int($0).map(JSONValue.integer) ?? .string($0) })
    }
    var layer = try layer(call, settings: settings, arguments: call.arguments)
    layer.functions = functions
    layer.isTraining = call.isTraining
    let outputs = try builder.build(
      &layer, layer.castInputs(call.inputs), className: form.className, stated: call.stated)
    let isGuess = layer.hasGuessedShape
    try finish(layer, call)
    if isGuess, let first = call.inputs.first {
      note(KeptLayer(name: call.name, input: network.graph.type(of: first)), for: outputs)
    }
    return outputs
  }

  /// Finishes a layer's call and takes the network back from it.
  private mutating func finish(
    _ layer: borrowing KerasLayer, _ call: LayerCall
  ) throws(WeighbridgeError) {
    try layer.finish()
    network = layer.network
    if requests != nil {
      try noteRequests(of: layer, call, parts: try dialect?.parts(of: call.record) ?? 1)
    } else {
      weightValues[call.name] = layer.weightValues
    }
  }

  /// Adds a function that the model uses without a layer.
  private mutating func addFunction(
    _ function: KerasFunctionName, _ call: LayerCall
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let operands = call.operands else { throw .malformed("has no call to read") }
    let layer = try layer(call, settings: [:], arguments: .init())
    var builder = try KerasFunction(
      function, layer: consume layer, inputs: call.inputs, operands: operands,
      settings: call.record.config)
    let outputs = try builder.build()
    try finish(builder.layer, call)
    return outputs
  }

  /// Records what is presumed about a layer, since the file does not say it.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` in strict mode.
  mutating func presume(_ text: String, about name: String) throws(WeighbridgeError) {
    guard !isStrict else {
      throw .unsupported("\(name): \(text) (refused, because \(APIName.strict) was given)")
    }
    network.decide(name, text)
  }

  /// A layer as Keras 2 or later would write it.
  func form(
    of record: KerasLayerRecord
  ) throws(WeighbridgeError) -> (record: KerasLayerRecord, decisions: [String]) {
    try dialect?.form(of: record) ?? (record, [])
  }

  /// Creates the call of a layer. It owns the network while it adds its nodes.
  private mutating func layer(
    _ call: LayerCall, settings: JSONObject, arguments: KerasLayer.CallArguments
  ) throws(WeighbridgeError) -> KerasLayer {
    let (settings, types) = try KerasTypePolicy.separate(settings)
    return KerasLayer(
      source: call.source, writer: writer, types: types, settings: settings,
      weights: try supply(call), weightValues: weightValues[call.name] ?? [:],
      arguments: arguments, network: takeNetwork(),
      areWeightsInOrder: areWeightsInOrder(of: call.name))
  }

  /// Whether the weights of a layer are in the order in which it takes them, whatever is frozen.
  func areWeightsInOrder(of name: String) -> Bool {
    weightStorage == .objects || layersInOrder.contains(name)
  }

  /// The source of a layer's weights; weights of Keras 1 are converted to the layout of Keras 2.
  private func supply(
    _ call: LayerCall
  ) throws(WeighbridgeError) -> KerasLayer.WeightSupply {
    if let requests { return .placeholders(elementLimit: requests.elementLimit) }
    if let zerosLimit { return .deferred(elementLimit: zerosLimit) }
    let written = weights[call.name] ?? []
    return .file(try dialect?.weights(written, of: call.record) ?? written)
  }

  /// Takes the network out, so that a layer can add to it without copying it.
  mutating func takeNetwork() -> KerasNetwork {
    let result = network
    network = KerasNetwork()
    return result
  }

  static func label(_ record: KerasLayerRecord, _ path: String) -> String {
    "#\(record.index) \(path)\(record.name) (\(record.className))"
  }
}
