import Bytes
import Testing

/// Architectures with layers of unknown classes for the weights in
/// `Samples/Hostile/keras/weights_only.h5`.
enum CustomArchitecture {
  /// The dense layers alone.
  static var dense: String { dense(between: []) }

  /// The dense layers with layers of other classes between them, all with the same settings.
  static func dense(between others: [(className: String, name: String)], settings: String = "")
    -> String
  {
    var layers = [layer("Dense", "a", #""units": 3, "activation": "linear""#, after: "x")]
    var last = "a"
    for (className, name) in others {
      layers.append(layer(className, name, settings, after: last))
      last = name
    }
    layers.append(layer("Dense", "b", #""units": 2, "activation": "linear""#, after: last))
    return layers.joined(separator: ",\n")
  }

  /// A `to_json` text of layers between the input `x` and the output `b`.
  static func json(_ layers: String) -> String {
    """
    {"class_name": "Model", "keras_version": "2.2.4", "backend": "tensorflow", "config": {
    "name": "net", "input_layers": [["x", 0, 0]], "output_layers": [["b", 0, 0]], "layers": [
    {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
    "config": {"name": "x", "batch_input_shape": [null, 4], "dtype": "float32"}},
    \(layers)]}}
    """
  }

  private static func layer(
    _ className: String, _ name: String, _ settings: String, after input: String
  ) -> String {
    """
    {"class_name": "\(className)", "name": "\(name)", \
    "config": {"name": "\(name)"\(settings.isEmpty ? "" : ", ")\(settings)}, \
    "inbound_nodes": [[["\(input)", 0, 0, {}]]]}
    """
  }
}

/// A file for `--custom-layers` about a layer `odd` of the class `Odd` that is refused.
struct BadMapping: CustomTestStringConvertible, Sendable {
  let text: String
  let code: WeighbridgeError.Code
  let message: String

  init(_ text: String, _ code: WeighbridgeError.Code, _ message: String) {
    self.text = text
    self.code = code
    self.message = message
  }

  /// A mapping of the class.
  init(of mapping: String, _ message: String) {
    self.init(#"{"classes": {"Odd": \#(mapping)}}"#, .mismatch, message)
  }

  var testDescription: String { message }

  static let all: [BadMapping] = [
    BadMapping("", .malformed, "custom.json: byte 0: not JSON"),
    BadMapping("layers:\n  odd: tanh", .malformed, "not JSON"),
    BadMapping("[]", .mismatch, "is a list, and an object is expected"),
    BadMapping(#"{"layer": {}}"#, .mismatch, "layer is not known here"),
    BadMapping(#"{"layers": []}"#, .mismatch, "layers is a list, not an object"),
    BadMapping(
      #"{"layers": {"odd": {"kind": "tanh"}, "od": {"kind": "tanh"}}}"#, .mismatch,
      "layers.od matches no mapped layer"),
    BadMapping(
      #"{"layers": {"od": {"kind": "tanh"}}}"#, .unsupported, "custom.json: layers.od"),
    BadMapping(
      #"{"layers": {"*dd": {"kind": "tanh"}, "od*": {"kind": "tanh"}}}"#, .mismatch,
      "layers.*dd and layers.od* of the custom layers match equally specifically"),
    BadMapping(
      #"{"classes": {"Odd": \#(String(repeating: "[", count: 10_000))"#, .limitExceeded,
      "JSON nests deeper than 64 levels"),
    BadMapping(
      "{" + String(repeating: " ", count: 10 << 20) + "}", .limitExceeded,
      "over the limit of 1048576"),
    BadMapping(
      "{\"layers\": {"
        + (0...1000).map { "\"l\($0)\": {\"kind\": \"tanh\"}" }.joined(separator: ",") + "}}",
      .limitExceeded, "has 1001 entries"),
    BadMapping(of: "7", "classes.Odd is a number, and an object is expected"),
    BadMapping(of: "[]", "classes.Odd has 0 steps"),
    BadMapping(of: #"{"kind": "tanh", "sublayer": "att"}"#, "no sub-layer is called att"),
    BadMapping(
      of: #"{"kind": "tanh", "sublayer": "att", "weights": [0]}"#, "both a \"sublayer\" and"),
    BadMapping(of: #"{"layer": "$settings.layer"}"#, "refers to \"$settings.layer\""),
    BadMapping(of: #"{"layer": "Dense"}"#, "classes.Odd.layer is a place in the settings"),
    BadMapping(of: #"{"kind": "add", "inputs": ["input", [[1, 2], [3]]]}"#, "equally long"),
    BadMapping(of: #"{"kind": "add", "inputs": ["input", [1, NaN]]}"#, "nor an array of finite"),
    BadMapping(
      of: #"{"kind": "add", "inputs": ["input", {"constant": 1, "dtype": "int3"}]}"#,
      "is no type of numbers"),
    BadMapping(
      #"{"classes": {"Odd": {"class_name": "tf.image.resize_images", "config": {"size": [2, 2]}}}}"#,
      .unsupported, "takes [batch, height, width, channels]"),
    BadMapping(of: "{}", "classes.Odd has neither a \"class_name\""),
    BadMapping(of: #"{"kind": "tanh", "class_name": "Tanh"}"#, "has both"),
    BadMapping(of: #"{"class_name": "Odd"}"#, "a mapping cannot lead to another one"),
    BadMapping(of: #"{"class_name": "Lambda"}"#, "\"Lambda\", which is not a layer"),
    BadMapping(of: #"{"kind": "warp"}"#, "classes.Odd.kind is \"warp\", which is no operator"),
    BadMapping(of: #"{"kind": "tanh", "speed": 3}"#, "classes.Odd.speed is not known here"),
    BadMapping(
      of: #"{"kind": "tanh", "attributes": {"speed": 3}}"#, "has an unknown attribute speed"),
    BadMapping(
      of: #"{"kind": "relu", "attributes": {"negative_slope": 0}}"#,
      "the attribute threshold is missing"),
    BadMapping(
      of: #"{"kind": "rescaling", "attributes": {"scale": [Infinity], "offset": [1]}}"#,
      "classes.Odd.attributes.scale is not a number"),
    BadMapping(
      of: #"{"kind": "rescaling", "attributes": {"scale": {}, "offset": [1]}}"#, "is not a number"),
    BadMapping(
      of: #"{"class_name": "Activation", "config": {"activation": "$settings.kind"}}"#,
      "refers to \"$settings.kind\", and the layer's settings are name"),
    BadMapping(
      of: #"{"class_name": "Activation", "config": {"activation": "$kind"}}"#,
      "\"$kind\" is no reference"),
    BadMapping(of: #"[{"kind": "tanh", "name": "input"}]"#, "is no name for a step"),
    BadMapping(
      of: #"[{"kind": "tanh", "name": "t"}, {"kind": "tanh", "name": "t"}]"#, "is taken"),
    BadMapping(
      of: #"[{"kind": "tanh", "name": "a", "inputs": ["b"]}, {"kind": "tanh", "name": "b"}]"#,
      "classes.Odd[0].inputs refers to \"b\""),
    BadMapping(
      of: #"[{"kind": "tanh", "name": "a", "inputs": ["a"]}]"#, "refers to \"a\""),
    BadMapping(
      of: #"[{"kind": "tanh", "name": "a"}, {"kind": "tanh", "inputs": ["input"]}]"#,
      "classes.Odd[0] (\"a\") is read by no later step"),
    BadMapping(
      of: #"{"steps": [{"kind": "tanh"}, {"kind": "tanh"}], "outputs": ["step1"]}"#,
      "classes.Odd.steps[1] (\"step2\") is read by no later step"),
    BadMapping(
      of: #"[{"function": "tf.abs", "inputs": ["input"]}, {"kind": "tanh", "inputs": ["input"]}]"#,
      "classes.Odd[0] (\"step1\") is read by no later step"),
    BadMapping(
      of: #"{"kind": "tanh", "inputs": ["input[1]"]}"#,
      "number 1, counted from 0, and the layer has 1 input"),
    BadMapping(of: #"{"kind": "tanh", "inputs": ["input[x]"]}"#, "no number in brackets"),
    BadMapping(of: #"{"kind": "tanh", "weights": ["w"]}"#, "no weight is called w; none are left"),
    BadMapping(of: #"{"kind": "tanh", "weights": [-1]}"#, "is not a list of names and numbers"),
    BadMapping(
      of: #"{"steps": [{"kind": "tanh"}], "outputs": ["step2"]}"#, "refers to \"step2\""),
    BadMapping(of: #"{"steps": [{"kind": "tanh"}], "outputs": []}"#, "outputs is empty"),
    BadMapping(
      of: #"{"function": "tf.math.reduce_summ"}"#,
      "classes.Odd.function is \"tf.math.reduce_summ\", which is not a function that"),
    BadMapping(of: #"{"function": "K.sum"}"#, "which is not a function that Weighbridge knows"),
    BadMapping(of: #"{"function": "tf.abs", "kind": "tanh"}"#, "has both a \"function\" and a"),
    BadMapping(of: #"{"function": "tf.abs", "attributes": {}}"#, "attributes is not known here"),
    BadMapping(of: #"{"function": "tf.abs", "weights": [0]}"#, "takes weights only among"),
    BadMapping(
      of: #"{"function": "tf.add", "inputs": ["input", "inputs"]}"#,
      "classes.Odd.inputs refers to \"inputs\""),
    BadMapping(
      of: #"[{"function": "tf.abs"}, {"function": "tf.concat", "inputs": [["step1", "step2"]]}]"#,
      "classes.Odd[1].inputs refers to \"step2\""),
    BadMapping(
      of: #"{"function": "tf.add", "inputs": ["input", null]}"#, "neither a name nor an array"),
    BadMapping(
      of: #"{"function": "tf.add", "inputs": ["input", {"constant": 1, "dtype": "int3"}]}"#,
      "is no type of numbers"),
    BadMapping(
      #"{"classes": {"Odd": {"function": "tf.abs", "config": {"speed": 3}}}}"#, .unsupported,
      "classes.Odd: is called with speed=3"),
    BadMapping(
      #"{"classes": {"Odd": {"function": "keras.backend.sum", "config": {"axis": 7}}}}"#,
      .malformed, "classes.Odd: "),
    BadMapping(
      #"{"classes": {"Odd": {"function": "tf.abs", "inputs": ["input", "input"]}}}"#, .unsupported,
      "classes.Odd: is called with an argument 1 too many"),
    BadMapping(of: #"{"keep": false}"#, "classes.Odd.keep can only be true"),
    BadMapping(of: #"{"keep": true, "output_shapes": [[0]]}"#, "is not a list of shapes"),
    BadMapping(
      of: "[" + [String](repeating: #"{"kind": "tanh"}"#, count: 300).joined(separator: ",") + "]",
      "has 300 steps"),
  ]
}
