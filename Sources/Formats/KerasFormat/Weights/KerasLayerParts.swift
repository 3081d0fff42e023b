package import JSON

/// The objects inside a layer of some class, as far as its weights' paths in a file follow from them.
package struct KerasLayerParts: Sendable {
  /// An object that is an attribute of the layer.
  package struct Object: Sendable {
    /// The names that the attribute may have.
    let names: [String]
    /// The settings under which its own may stand, the first one that is there; none where it has no
    /// objects inside.
    let settings: [String]

    /// Makes an object.
    package init(_ names: [String], settings: [String] = []) {
      self.names = names
      self.settings = settings
    }
  }

  /// Which of the layer's own variables training changes.
  package enum Trained: Sendable {
    case all, none
    /// All but the last ones, whose number depends on the settings.
    case allBut(@Sendable (JSONObject) -> Int)
  }

  /// The attributes, in the order in which Keras lists their variables.
  let objects: [Object]
  /// The setting that lists objects of the layer; `nil` for none.
  package let list: String?
  /// Which of the layer's own variables training changes.
  let trained: Trained
  /// The path of the variable that the layer's first own one is another name of; `nil` for none.
  let alias: String?
  /// Whether a layer may stand in place of the activation function.
  let hasActivation: Bool

  /// Says what a class consists of.
  package init(
    _ objects: [Object] = [], list: String? = nil, trained: Trained = .all, alias: String? = nil,
    hasActivation: Bool = false
  ) {
    self.objects = objects
    self.list = list
    self.trained = trained
    self.alias = alias
    self.hasActivation = hasActivation
  }

  /// Nothing but an activation, where that is a layer; also a class that is not Keras' own.
  package static let activation = KerasLayerParts(hasActivation: true)

  /// Of a layer with a running mean and variance as its last variables, and five variables of batch
  /// renormalization where it is on.
  package static let batchStatistics = KerasLayerParts(
    trained: .allBut { $0["renorm"] == .bool(true) ? 5 : 2 })

  /// Of a layer whose variables are those of one cell.
  package static let cell = KerasLayerParts([Object(["cell"])])
}
