package import JSON

/// The parts of a layer class that determine the paths of its weights in a file.
package struct KerasLayerParts: Sendable {
  /// An object that is an attribute of the layer.
  package struct Object: Sendable {
    /// The names that the attribute may have.
    let names: [String]
    /// The keys under which the object's own configuration may be, in order of preference; empty if
    /// it contains no objects.
    let settings: [String]

    /// Creates an object.
    package init(_ names: [String], settings: [String] = []) {
      self.names = names
      self.settings = settings
    }
  }

  /// Which of the layer's own variables are trainable.
  package enum Trainable: Sendable {
    case all, none
    /// All but the last ones, whose number follows from the settings.
    case allBut(@Sendable (JSONObject) -> Int)
  }

  /// The attributes, in the order in which Keras lists their variables.
  let objects: [Object]
  /// The key of the setting that lists the layer's objects; `nil` for none.
  package let list: String?
  /// Which of the layer's own variables are trainable.
  let trainable: Trainable
  /// The path of a second copy of the layer's first own variable; `nil` for none.
  let alias: String?
  /// The number of own variables from which on there is one.
  let aliasedCount: Int
  /// Whether the activation may be a layer.
  let hasActivation: Bool

  /// Describes the parts of a class.
  package init(
    _ objects: [Object] = [], list: String? = nil, trainable: Trainable = .all,
    alias: String? = nil, aliasedCount: Int = 1, hasActivation: Bool = false
  ) {
    self.objects = objects
    self.list = list
    self.trainable = trainable
    self.alias = alias
    self.aliasedCount = aliasedCount
    self.hasActivation = hasActivation
  }

  /// Whether the weights are those of layers in the settings, one layer after the other. (A wrapper
  /// with an alias, `SpectralNormalization`, has another order.)
  package var areThoseOfWrappedLayers: Bool {
    alias == nil && objects.contains { !$0.settings.isEmpty }
  }

  /// Only an activation, if it is a layer. Custom classes have these parts too.
  package static let activation = KerasLayerParts(hasActivation: true)

  /// The parts of a layer whose last variables are not trainable: a running mean and variance, or
  /// five variables with batch renormalization.
  package static let batchStatistics = KerasLayerParts(
    trainable: .allBut { $0["renorm"] == .bool(true) ? 5 : 2 })

  /// The parts of a layer whose variables are those of one cell.
  package static let cell = KerasLayerParts([Object(["cell"])])
}
