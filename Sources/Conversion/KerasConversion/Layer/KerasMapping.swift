package import Bytes
package import GraphIR
package import KerasFormat
package import LayerCatalog

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
  /// The operator of an activation function for an input of some type, as that version of Keras
  /// computes it.
  package typealias Activation =
    @Sendable (KerasVersion, TensorType) throws(Failure) -> any CatalogOperator

  /// By class name. Two classes may share one builder.
  package let layers: [String: Build]
  /// By the name that `activation=` takes.
  package let activations: [String: Activation]

  /// Makes a mapping.
  package init(layers: [String: Build] = [:], activations: [String: Activation] = [:]) {
    self.layers = layers
    self.activations = activations
  }
}
