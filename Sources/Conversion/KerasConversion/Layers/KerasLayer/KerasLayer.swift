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
    /// The path in the file, for messages.
    package let path: String
    /// The name that the file gives it, such as `dense_1/kernel:0`.
    package let name: String
    /// The elements in Keras' axis order.
    package let tensor: Tensor
    /// The name within the layer, such as `kernel`, or `att/query_dense/vars/0` in a layer with
    /// sub-layers.
    package let localName: String

    /// Creates a weight.
    ///
    /// - Parameters:
    ///   - name: The name that the file gives it; `nil` for its path.
    ///   - localName: The name within the layer; `nil` for the last part of the path.
    package init(path: String, tensor: Tensor, name: String? = nil, localName: String? = nil) {
      self.path = path
      self.name = name ?? path
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
  package internal(set) var types: KerasTypePolicy?
  /// Settings not read yet.
  var unreadSettings: JSONObject
  /// Weights not read yet, in the order of the file.
  var unreadWeights: ArraySlice<Weight>
  let placeholderLimit: Int?
  /// Whether the calls of a layer share their placeholders, like the weights of a file.
  let sharesPlaceholders: Bool
  /// Whether its weights are in the order in which they are taken, whatever is frozen.
  let areWeightsInOrder: Bool
  /// The requested weights, in order.
  var requestedWeights: [RequestedWeight] = []
  /// The part of the layer whose settings are being read.
  var part = WeightPart()
  /// The shapes of the weights requested with
  /// ``weight(_:shape:isTrainable:keepsType:storedAs:canonical:)``, in Keras' axis order.
  var requestedShapes: [[Int]] = []
  /// The values of this layer's weights, by role; filled by the first call, used by later ones.
  package internal(set) var weightValues: [String: ValueID]
  package var network: KerasNetwork
  /// The call's remaining arguments other than its inputs.
  var arguments: CallArguments
  /// The roles of the requested weights.
  var requestedRoles: Set<String> = []
  /// The step of a mapping that is being added; see ``addStep(_:settings:_:)``.
  var step = ""
  /// The axis order of images where the settings state none.
  package var defaultLayout = DataLayout.channelsLast
  /// Whether it is called in training mode, which only Keras 1 and 2 keep when the model runs.
  package var isTraining = false
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
    network: KerasNetwork, areWeightsInOrder: Bool = false
  ) {
    self.areWeightsInOrder = areWeightsInOrder
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

  package var integerRules: IntegerRules { writer.integerRules }

  /// The backend on which Keras ran.
  package var backend: KerasProducer.Backend { writer.backend }

  /// Records a decision in the layer's first call only.
  package mutating func decideOnce(_ text: String) { if source.call == 0 { decide(text) } }

  /// Adds a node of this layer.
  ///
  /// - Parameter role: The node's role when the layer becomes several nodes, for example
  ///   `activation`.
  package mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    try addNode(operation, inputs, role: path(of: role))
  }

  /// Finishes the layer.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting or an argument of the call that
  ///   was not read; ``WeighbridgeError/Code/malformed`` for a weight that was not read.
  package func finish() throws(WeighbridgeError) {
    try arguments.checkUnread(version)
    try checkSettings()
    if let weight = unreadWeights.first {
      throw .malformed(
        "has a surplus weight of shape \(weight.tensor.shape), and the layer takes no more"
      ).at(.path(weight.path))
    }
  }
}
