package import Bytes
import ConversionCore
package import GraphIR
package import JSON
package import KerasFormat
package import LayerCatalog

/// A call of a Keras layer while it is being converted to nodes: the settings and weights to read,
/// and the graph to add to.
///
/// Reading a setting or a weight consumes it; ``finish()`` throws if any remain, so that nothing in
/// a file is silently ignored.
package struct KerasLayer: SourceLayer {
  /// A weight as stored in the file.
  package struct Weight: Sendable {
    /// The name in the file, for messages.
    package let path: String
    /// The elements in Keras' axis order.
    package let tensor: Tensor
    /// The name within the layer, such as `kernel`, or `att/query_dense/vars/0` in a layer with
    /// sub-layers.
    package let localName: String

    /// Creates a weight.
    ///
    /// - Parameter localName: The name within the layer; `nil` for the last part of the path.
    package init(path: String, tensor: Tensor, localName: String? = nil) {
      self.path = path
      self.tensor = tensor
      self.localName = localName ?? KerasLayer.shortName(path)
    }
  }

  /// The source of a layer's weights.
  package enum WeightSupply: Sendable {
    /// From a file, in its order.
    case file([Weight])
    /// Not known yet: every requested weight has the requested shape and arbitrary elements, at
    /// most as many as the limit.
    case placeholders(elementLimit: Int)
    /// From another file, which uses the graph's names: until it is read, every requested weight is
    /// all zeros, with at most as many elements as the limit.
    case deferred(elementLimit: Int)
  }

  /// The origin recorded in the nodes.
  package let source: SourceScope
  /// The version of Keras and the backend that wrote the file.
  package let writer: KerasProducer
  /// The number types stated by the settings; `nil` where they follow from the inputs.
  package private(set) var types: KerasTypePolicy?
  /// Settings not read yet.
  var unreadSettings: JSONObject
  /// Weights not read yet, in the order of the file.
  var unreadWeights: ArraySlice<Weight>
  let placeholderLimit: Int?
  /// Whether the calls of a layer share their placeholders, like the weights of a file.
  private let sharesPlaceholders: Bool
  /// For each requested weight, in order, whether it is trainable.
  package private(set) var requestedWeights: [Bool] = []
  /// The shapes of the weights requested with
  /// ``weight(_:shape:isTrainable:keepsType:storedAs:canonical:)``, in Keras' axis order.
  private(set) var requestedShapes: [[Int]] = []
  /// The values of this layer's weights, by role; filled by the first call, used by later ones.
  package private(set) var weightValues: [String: ValueID]
  package var network: KerasNetwork
  /// The call's remaining arguments other than its inputs.
  var arguments: CallArguments
  /// The roles of the requested weights.
  var requestedRoles: Set<String> = []
  /// The step of a mapping that is being added; see ``addStep(_:settings:_:)``.
  var step = ""
  /// The axis order of images where the settings state none.
  package var defaultLayout = DataLayout.channelsLast
  /// Whether it is kept as it is although its output shape is not stated.
  package var hasGuessedShape = false
  /// The functions that the user mapped, by their names in `activation`.
  package var functions: [String: KerasMapping.Build] = [:]

  /// Creates a layer's call.
  ///
  /// - Parameters:
  ///   - types: The number types, which have been removed from the settings.
  ///   - arguments: The call's arguments other than its inputs.
  package init(
    source: SourceScope, writer: KerasProducer,
    types: KerasTypePolicy? = nil,
    settings: JSONObject, weights: WeightSupply, weightValues: [String: ValueID],
    arguments: CallArguments = CallArguments(),
    network: KerasNetwork
  ) {
    self.source = source
    self.writer = writer
    self.types = types
    self.unreadSettings = settings
    self.arguments = arguments
    switch weights {
    case .file(let weights): (unreadWeights, placeholderLimit) = (weights[...], nil)
    case .placeholders(let limit), .deferred(let limit):
      (unreadWeights, placeholderLimit) = ([], limit)
    }
    if case .deferred = weights { sharesPlaceholders = true } else { sharesPlaceholders = false }
    self.weightValues = weightValues
    self.network = network
  }

  /// The graph so far.
  package var graph: GraphBuilder { network.graph }

  /// The version of Keras whose semantics apply.
  package var version: KerasVersion { writer.version }

  /// The backend on which Keras ran.
  package var backend: KerasProducer.Backend { writer.backend }

  /// Records a decision in the layer's first call only.
  package mutating func decideOnce(_ text: String) { if source.call == 0 { decide(text) } }

  /// Consumes and returns a setting; `nil` when it is absent or null.
  package mutating func take(_ key: String) -> JSONValue? {
    guard let value = unreadSettings[key] else { return nil }
    unreadSettings[key] = nil
    return value == .null ? nil : value
  }

  /// Consumes settings that have no effect at inference.
  package mutating func ignore(_ keys: String...) {
    for key in keys { unreadSettings[key] = nil }
  }

  /// Takes the next weight.
  ///
  /// - Parameters:
  ///   - role: Its role for the operator, for example `kernel`.
  ///   - shape: The shape that follows from the layer's settings and input, in Keras' axis order.
  ///   - isTrainable: Whether it is trained by gradients, which determines its position in the list
  ///     of a nested model.
  ///   - keepsType: Whether it keeps the type it has in the file; otherwise it is cast to the type
  ///     in which the layer computes.
  ///   - elementType: The type that it must have in the file; `nil` for any floating-point type.
  ///   - canonical: Converts it to the operator's axis order; must not depend on the elements.
  /// - Returns: The value of the weight in the graph, named `layer/role`, or of its cast.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none or its shape differs.
  package mutating func weight(
    _ role: String, shape: [Int], isTrainable: Bool = true, keepsType: Bool = false,
    storedAs elementType: ElementType? = nil, canonical: (Tensor) -> Tensor = { $0 }
  ) throws(WeighbridgeError) -> ValueID {
    requestedWeights.append(isTrainable)
    guard requestedRoles.insert(path(of: role)).inserted else {
      throw .unsupported("takes two weights \(path(of: role))")
    }
    requestedShapes.append(shape)
    let tensor: Tensor
    if let placeholderLimit {
      tensor = try placeholder(role, shape: shape, elementType, limit: placeholderLimit)
      guard sharesPlaceholders else {
        return try addWeight(path(of: role), canonical(tensor))
      }
    } else {
      let weight = try takeWeight(role, shape: shape)
      try checkType(of: weight, role, elementType)
      tensor = weight.tensor
    }
    if let value = weightValues[path(of: role)] { return value }
    let value = try constant(role, canonical(tensor))
    guard !keepsType, let type = types?.compute else { return value }
    let result = try cast(value, to: type, role: "\(role)_cast")
    weightValues[path(of: role)] = result
    return result
  }

  /// Makes zeros of a shape, which take no memory.
  private func placeholder(
    _ role: String, shape: [Int], _ elementType: ElementType?, limit: Int
  ) throws(WeighbridgeError) -> Tensor {
    let count = try Checked.product(shape, of: "the size of the weight \(role)")
    guard count <= limit else {
      throw .malformed("takes a weight \(role) \(shape), which is more than the file holds")
    }
    let type = sharesPlaceholders ? elementType ?? types?.variable : types?.compute
    return Tensor(type ?? .float32, shape: shape.map { _ in 1 }, [0]).broadcast(to: shape)
  }

  /// The shape that the next weight has in the file; `nil` when there is none, or no file yet.
  package var nextWeightShape: [Int]? { unreadWeights.first?.tensor.shape }

  /// Takes the next weight of the file and checks its shape.
  private mutating func takeWeight(
    _ role: String, shape: [Int]
  ) throws(WeighbridgeError) -> Weight {
    guard let weight = unreadWeights.popFirst() else {
      throw .malformed("the weight \(role) \(shape) is missing in the file")
    }
    guard weight.tensor.shape == shape else {
      throw .malformed(
        "the weight \(role) has the shape \(weight.tensor.shape), and the layer takes \(shape)"
      ).at(.path(weight.path))
    }
    return weight
  }

  /// Consumes the next weight, which has no effect at inference, or none in this call.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none or its shape differs.
  package mutating func ignoreWeight(
    _ role: String, shape: [Int], isTrainable: Bool = false
  ) throws(WeighbridgeError) {
    requestedWeights.append(isTrainable)
    if placeholderLimit == nil { _ = try takeWeight(role, shape: shape) }
  }

  /// Takes one of the remaining weights, whatever its shape. It is not trained and does not become
  /// a weight of the graph.
  ///
  /// - Parameter position: The number of remaining weights before it.
  /// - Returns: The weight; `nil` while there are no weights yet.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none.
  package mutating func weightOfAnyShape(
    _ role: String, position: Int = 0
  ) throws(WeighbridgeError) -> Tensor? {
    requestedWeights.append(false)
    guard !sharesPlaceholders else {
      throw .unsupported(
        "has a weight \(role) whose shape its settings do not tell; a model with weights can be the "
          + "architecture")
    }
    guard placeholderLimit == nil else { return nil }
    guard unreadWeights.count > position else {
      throw .malformed("the weight \(role) is missing in the file")
    }
    return unreadWeights.remove(at: unreadWeights.startIndex + position).tensor
  }

  /// Adds a weight from the settings, not from the file's weights.
  ///
  /// - Parameter role: Its role for the operator.
  /// - Returns: The value of the weight in the graph, named `layer/role`.
  package mutating func constant(
    _ role: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    let role = path(of: role)
    if let value = weightValues[role] { return value }
    let isOwned = placeholderLimit == nil || sharesPlaceholders
    let owner = isOwned ? source.layer : source.callName
    let value = try network.graph.addWeight("\(owner)/\(role)", tensor)
    weightValues[role] = value
    return value
  }

  /// Adds a node of this layer.
  ///
  /// - Parameter role: The node's role when the layer becomes several nodes, for example
  ///   `activation`.
  package mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    try addNode(operation, inputs, role: path(of: role))
  }

  /// Continues with the settings of the layer that this one wraps as `layer`; the weights stay the
  /// same.
  ///
  /// - Returns: The wrapped layer's class, and its settings, none of them consumed yet.
  /// - Throws: What ``unwrap(_:)`` throws.
  package mutating func unwrap() throws(WeighbridgeError) -> (
    className: String, settings: JSONObject
  ) {
    try unwrap(take("layer"))
  }

  /// Continues with the settings of a layer or cell inside this one; the weights stay the same.
  ///
  /// - Parameter form: Its class and settings, as in this layer's settings.
  /// - Returns: Its class, and its settings, none of them consumed yet.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none;
  ///   ``WeighbridgeError/Code/unsupported`` for a setting of this layer that was not taken, for a
  ///   custom class, and for one that computes in another number type.
  package mutating func unwrap(_ form: JSONValue?) throws(WeighbridgeError) -> (
    className: String, settings: JSONObject
  ) {
    guard let form = form?.object, let className = form["class_name"]?.string,
      let settings = form["config"]?.object
    else { throw .malformed("wraps no layer") }
    if let registered = form["registered_name"], registered != .null,
      registered != .string(className)
    {
      throw .unsupported("wraps \(className), which is registered as \(registered.text())")
    }
    try checkSettings()
    let inner = try KerasTypePolicy.separate(settings)
    guard inner.policy == types || inner.policy == nil else {
      throw .unsupported("wraps a layer that computes in another number type than it does itself")
    }
    unreadSettings = inner.settings
    return (className, inner.settings)
  }

  /// Adds the nodes of a layer given in the settings, such as an activation. It takes the next
  /// weights.
  ///
  /// - Parameters:
  ///   - settings: The inner layer's settings.
  ///   - role: The prefix of the roles of its nodes.
  ///   - build: The inner layer's builder.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting of it that was not read, and
  ///   what the builder throws.
  package mutating func addInner(
    _ settings: JSONObject, _ inputs: [ValueID], role: String, build: KerasMapping.Build
  ) throws(WeighbridgeError) -> [ValueID] {
    let inner = try KerasTypePolicy.separate(settings)
    let outer = types
    types = inner.policy
    let outputs = try addStep(role, settings: inner.settings) { (layer) throws(WeighbridgeError) in
      try build(&layer, layer.castInputs(inputs))
    }
    types = outer
    return outputs
  }

  /// Finishes the layer.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting or an argument of the call that
  ///   was not read; ``WeighbridgeError/Code/malformed`` for a weight that was not read.
  package func finish() throws(WeighbridgeError) {
    try arguments.checkUnread(version)
    try checkSettings()
    if let weight = unreadWeights.first {
      throw .malformed("a surplus weight of shape \(weight.tensor.shape)").at(.path(weight.path))
    }
  }

  /// Refuses a setting that was not read.
  func checkSettings() throws(WeighbridgeError) {
    for key in unreadSettings.keys
    where !Self.hasNoEffectAtInference(key) && !isUnusedSetting(key) {
      let value = unreadSettings[key]?.text() ?? ""
      if key == "dtype", let policy = KerasTypePolicy.quantized(unreadSettings[key]) {
        throw .unsupported(
          "is quantized to \(policy.mode); Dense, EinsumDense and Embedding are supported in int8")
      }
      throw .unsupported("unknown setting \(key)=\(value)")
    }
  }

  /// Whether it is a setting that Keras 3 writes as null for layers that do not use it.
  private func isUnusedSetting(_ key: String) -> Bool {
    key == "quantization_config" && unreadSettings[key] == .null
  }

  /// Whether a setting, of any layer, matters only while the layer is built or trained.
  package static func hasNoEffectAtInference(_ key: String) -> Bool {
    let keys = [
      "name", "trainable", "batch_input_shape", "input_dtype", "activity_regularizer",
    ]
    let suffixes = ["_initializer", "_regularizer", "_constraint"]
    return keys.contains(key) || suffixes.contains { key.hasSuffix($0) }
  }
}
