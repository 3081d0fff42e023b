/// Architectures of any depth for the weights in `Samples/Hostile/keras/weights_only.h5`: a dense
/// layer from 4 to 3, many activations, a dense layer to 2.
package enum ChainArchitecture {
  /// Returns the JSON of `to_json`.
  ///
  /// - Parameter count: The number of layers after the input, at least 2.
  package static func json(layers count: Int) -> String {
    var layers = [dense("a", units: 3, after: "x")]
    var last = "a"
    for number in 2..<count {
      layers.append(activation("layer\(number)", after: last))
      last = "layer\(number)"
    }
    layers.append(dense("b", units: 2, after: last))
    return """
      {"class_name": "Model", "keras_version": "2.2.4", "backend": "tensorflow", "config": {
      "name": "chain", "input_layers": [["x", 0, 0]], "output_layers": [["b", 0, 0]], "layers": [
      {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
      "config": {"name": "x", "batch_input_shape": [null, 4], "dtype": "float32"}},
      \(layers.joined(separator: ",\n"))]}}
      """
  }

  private static func dense(_ name: String, units: Int, after input: String) -> String {
    let settings = #""units": \#(units), "use_bias": true, "activation": "linear""#
    return layer("Dense", name, settings, after: input)
  }

  private static func activation(_ name: String, after input: String) -> String {
    layer("Activation", name, #""activation": "tanh""#, after: input)
  }

  private static func layer(
    _ className: String, _ name: String, _ settings: String, after input: String
  ) -> String {
    """
    {"class_name": "\(className)", "name": "\(name)", \
    "config": {"name": "\(name)", \(settings)}, "inbound_nodes": [[["\(input)", 0, 0, {}]]]}
    """
  }
}
