package import Bytes
import ConversionCore
package import GraphIR
package import KerasFormat
package import LayerCatalog

/// An operator that layers of Keras become.
protocol KerasMapped: CatalogOperator {
  /// Their classes.
  static var keras: KerasMapping { get }
  /// What the operator becomes in Keras; `nil` for one that becomes what it is made of.
  static var kerasRow: KerasRow? { get }
}

extension KerasMapped {
  /// What the operator becomes, where it has one output.
  static func row(
    _ rule:
      @escaping @Sendable (Self, inout KerasModelBuilder) throws(WeighbridgeError) -> KerasValue
  ) -> KerasRow? {
    KerasRow(Self.self, rule)
  }

  /// What the operator becomes, where it has several outputs.
  static func rowOfOutputs(
    _ rule:
      @escaping @Sendable (Self, inout KerasModelBuilder) throws(WeighbridgeError) ->
      [KerasValue]
  ) -> KerasRow? {
    KerasRow(outputsOf: Self.self, rule)
  }

  /// Why Keras does not have the operator.
  static func refusal(_ reason: String) -> KerasRow? { KerasRow(Self.self, unsupported: reason) }
}

/// The Keras layers and activation functions that become an operator.
package struct KerasMapping: Sendable {
  /// What a builder throws. (An alias, because the compiler does not count an error type that only
  /// stands behind `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// Adds a layer's nodes and returns its outputs.
  ///
  /// It reads every setting and every weight of the layer: what it leaves is an error.
  package typealias Build =
    @Sendable (inout KerasLayer, [ValueID]) throws(Failure) -> [ValueID]
  /// Adds the nodes of a layer on a number of spatial axes.
  typealias SpatialBuild =
    @Sendable (inout KerasLayer, [ValueID], _ axes: Int) throws(Failure) -> [ValueID]
  /// The operator of an activation function for an input of some type, as that version of Keras
  /// computes it.
  package typealias Activation =
    @Sendable (KerasVersion, TensorType) throws(Failure) -> any CatalogOperator

  /// By class name, those that only stand in the settings of others left out.
  package let layers: [String: Build]
  /// By the name that `activation=` takes.
  package internal(set) var activations: [String: Activation] = [:]
  /// The layer classes.
  let classes: [KerasLayerClass]
  /// How layers that are not Keras' own are read, by class name or `package>Class`; see
  /// ``WellKnownLayers``.
  let wellKnown: [String: Build]

  /// Makes a mapping.
  init(_ classes: [KerasLayerClass], wellKnown: [String: Build] = [:]) {
    self.classes = classes
    self.wellKnown = wellKnown
    layers = Dictionary(
      classes.compactMap { entry in entry.build.map { (entry.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}
