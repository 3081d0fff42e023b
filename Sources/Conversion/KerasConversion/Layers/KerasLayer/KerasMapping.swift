package import Bytes
import ConversionCore
package import GraphIR
package import KerasFormat
package import LayerCatalog

/// An operator that Keras layers become.
protocol KerasMapped: CatalogOperator {
  /// The Keras layers that become the operator.
  static var keras: KerasMapping { get }
  /// How the operator is written in Keras; `nil` when it is decomposed.
  static var kerasRow: KerasRow? { get }
}

extension KerasMapped {
  /// Creates the row of an operator with one output.
  static func row(
    _ rule:
      @escaping @Sendable (Self, inout KerasModelBuilder) throws(WeighbridgeError) -> KerasValue
  ) -> KerasRow? {
    KerasRow(Self.self, rule)
  }

  /// Creates the row of an operator that Keras has with some settings only: `nil` for others, with
  /// which it is decomposed.
  static func nativeRow(
    _ rule:
      @escaping @Sendable (Self, inout KerasModelBuilder) throws(WeighbridgeError) -> KerasValue?
  ) -> KerasRow? {
    KerasRow(native: Self.self, rule)
  }

  /// Creates the row of an operator with several outputs.
  static func rowOfOutputs(
    _ rule:
      @escaping @Sendable (Self, inout KerasModelBuilder) throws(WeighbridgeError) ->
      [KerasValue]
  ) -> KerasRow? {
    KerasRow(outputsOf: Self.self, rule)
  }

  /// Creates the row of an operator that Keras does not have.
  static func refusal(_ reason: String) -> KerasRow? { KerasRow(Self.self, unsupported: reason) }
}

/// The Keras layers and activation functions that become an operator.
package struct KerasMapping: Sendable {
  /// What a builder throws. (An alias, because the compiler does not count an error type used only
  /// after `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// Adds a layer's nodes and returns its outputs.
  ///
  /// It reads every setting and every weight of the layer: anything left is an error.
  package typealias Build =
    @Sendable (inout KerasLayer, [ValueID]) throws(Failure) -> [ValueID]
  /// Adds the nodes of a layer with a number of spatial axes.
  typealias SpatialBuild =
    @Sendable (inout KerasLayer, [ValueID], _ axes: Int) throws(Failure) -> [ValueID]
  /// The operator of an activation function for an input of some type, as that version of Keras
  /// computes it.
  package typealias Activation =
    @Sendable (KerasVersion, TensorType) throws(Failure) -> any CatalogOperator

  /// The builders by class name, without classes that occur only in the settings of others.
  package let layers: [String: Build]
  /// The activation functions, by their names in `activation=`.
  package internal(set) var activations: [String: Activation] = [:]
  /// The layer classes.
  let classes: [KerasLayerClass]
  /// The builders of well-known custom layers, by class name or `package>Class`; see
  /// ``WellKnownLayers``.
  let wellKnown: [String: Build]

  /// Creates a mapping.
  init(_ classes: [KerasLayerClass], wellKnown: [String: Build] = [:]) {
    self.classes = classes
    self.wellKnown = wellKnown
    layers = Dictionary(
      classes.compactMap { entry in entry.build.map { (entry.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}
