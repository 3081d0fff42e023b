package import Bytes
package import GraphIR
package import JSON

/// A layer of a class that its format does not define, as a file describes it.
package struct CustomLayer: Sendable {
  /// Its position among the layers of the file.
  package let position: Int
  /// Its name.
  package let name: String
  /// The name of its class.
  package let className: String
  /// Its settings.
  package let settings: JSONObject
  /// What its author says about it; may be empty.
  package let description: String
  /// The names and shapes of its weights, in the order of the file.
  package let weights: [(name: String, shape: [Int])]

  /// Creates a description of a layer.
  package init(
    position: Int, name: String, className: String, settings: JSONObject, description: String,
    weights: [(name: String, shape: [Int])]
  ) {
    (self.position, self.name, self.className) = (position, name, className)
    (self.settings, self.description, self.weights) = (settings, description, weights)
  }
}

/// What a user says about custom layers, for formats other than Keras.
package protocol CustomLayerMappings: Sendable {
  /// The user's options, as the provenance records them.
  var options: [String: String] { get }
  /// Whether layers about which nothing is said are kept as they are.
  var keepsUnknown: Bool { get }

  /// Refuses layers about which nothing is said, all of them in one error, unless they are kept.
  ///
  /// - Throws: Also ``WeighbridgeError/Code/mismatch`` for an entry that matches no layer.
  func check(_ layers: [CustomLayer]) throws(WeighbridgeError)

  /// What becomes of a layer; one about which nothing is said is kept as it is.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when two entries match equally specifically.
  func mapping(of layer: CustomLayer) throws(WeighbridgeError) -> CustomLayerMapping
}

/// What becomes of a custom layer.
package enum CustomLayerMapping {
  /// It is kept as it is; its outputs have these shapes, if any are stated.
  case kept(shapes: [[Int?]]?)
  /// Other layers replace it: what they are, in words, and a function that adds them.
  case replaced(by: String, build: Build)

  /// Adds the layers that replace one with the given inputs and weights, and returns its outputs. Images are
  /// `[batch, channels, height, width]` where the layers do not say otherwise.
  package typealias Build = (
    _ graph: inout GraphBuilder, _ source: SourceScope, _ inputs: [ValueID], _ weights: [Tensor]
  ) throws(WeighbridgeError) -> [ValueID]
}
