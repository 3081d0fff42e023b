import Bytes
import TestSupport
import Testing

/// The files of `Samples/Hostile/keras` and how they are refused.
enum HostileKerasFiles {
  /// Files that are no attack after all: they become a model.
  static let harmless = ["group_cycle", "input_unread", "nan_weights", "plain", "weight_double"]

  /// Files with broken containers and weights (`containers.py`).
  static let containers: [HostileFile] = [
    .init("config_empty", .malformed, "model_config, byte 0: not JSON: found the end"),
    .init("config_not_utf8", .malformed, "attribute \"model_config\": it is not UTF-8"),
    .init("config_number", .malformed, "attribute \"model_config\" is not one string"),
    .init("empty", .malformed, "is empty"),
    .init("keras_4", .unsupported, "was written by Keras 4.0.0"),
    .init("layer_names_twice", .malformed, "attribute \"layer_names\" lists \"a\" twice"),
    .init(
      "nested_names_of_others", .malformed,
      "the names of the weights do not say which layer each belongs to"),
    .init(
      "nested_undecided", .malformed,
      "in an order that depends on what in it was frozen when they were saved, and neither the file nor"
    ),
    .init("layer_group_missing", .malformed, "/model_weights/b: the file has nothing at this path"),
    .init("no_weights_group", .malformed, "no group /model_weights"),
    .init("not_keras", .malformed, "not one that Keras wrote"),
    .init("text", .unsupported, "is a text file, not a model"),
    .init("truncated", .malformed, "is cut off: it has 15063 bytes, but its superblock says 15064"),
    .init("truncated_half", .malformed, "is cut off: it has 3000 bytes"),
    .init("truncated_signature", .malformed, "byte 8"),
    .init("version_nonsense", .malformed, "keras_version \"latest\" is not a version"),
    .init(
      "weight_bomb", .limitExceeded,
      "a/a/kernel:0: takes 1073741824 bytes decoded, over the limit of 67108864"),
    .init(
      "weight_dataset_missing", .malformed,
      "/model_weights/b/b/bias:0: the file has nothing at this path"),
    .init(
      "weight_external_link", .unsupported,
      "is a link into another file, /etc/passwd, which is never followed"),
    .init(
      "weight_external_storage", .unsupported,
      "keeps its bytes in another file, /etc/passwd, which is never read"),
    .init("weight_huge", .limitExceeded, "takes 4611686018427387904 bytes decoded"),
    .init("weight_integers", .unsupported, "the weight kernel is int32"),
    .init("weight_link_cycle", .limitExceeded, "follows more than 16 soft links"),
    .init("weight_missing", .malformed, "#2 b (Dense): the weight bias [2] is missing in the file"),
    .init(
      "weight_names_empty", .malformed,
      "is a dataset that no weight_names or layer_names attribute lists, nor 1 other"),
    .init("weight_names_missing", .malformed, "/model_weights/a: has no weight_names attribute"),
    .init(
      "weight_names_twice", .malformed,
      "attribute \"weight_names\" lists \"a/kernel:0\" twice"),
    .init(
      "weight_name_upwards", .malformed,
      "/model_weights/a/../b/b/kernel:0: the file has nothing at this path"),
    .init(
      "weight_owner_unknown", .malformed,
      "has weights of a layer c, which the architecture does not have"),
    .init("weight_rank", .malformed, "has the shape [12], and the layer takes [4, 3]"),
    .init(
      "weight_shape", .malformed,
      "/model_weights/a/a/kernel:0: layer #1 a (Dense): the weight "
        + "kernel has the shape [3, 4], and the layer takes [4, 3]"),
    .init(
      "weight_surplus", .malformed,
      "/model_weights/b/b/extra:0: layer #2 b (Dense): has a surplus weight of shape [2]"),
    .init("weight_text", .unsupported, "has elements of type string, which is not a number type"),
    .init(
      "weight_unlisted", .malformed,
      "/model_weights/b/b/forgotten: is a dataset that no weight_names"),
    .init(
      "weights_only", .missing,
      "holds weights only; give the architecture with `ReadOptions.architecture`"),
    .init("zeros", .unsupported, "is not a model in a format that can be read"),
  ]

  /// Files with broken architectures (`graphs.py`).
  static let graphs: [HostileFile] = [
    .init("custom_object", .unsupported, "#1 a (Dense), registered as evil>Dense"),
    .init("cycle", .malformed, "the layers form a cycle"),
    .init("deep_json", .limitExceeded, "JSON nests deeper than 500 levels"),
    .init("inbound_call", .malformed, "refers to call 6 of the layer \"a\", which has 1"),
    .init(
      "inbound_missing", .malformed,
      "#1 a (Dense): refers to the layer \"ghost\", which the model does not have"),
    .init(
      "cast_unknown", .unsupported,
      "takes float32 and has dtype=float64: the layers of TensorFlow 1"),
    .init("calls_lost", .unsupported, "is called 2 times, and Keras 3.2.0 and 3.2.1 write"),
    .init(
      "constant_beyond", .malformed,
      "a constant of uint8 has the number 300, which that type does not have"),
    .init(
      "constant_fraction", .malformed,
      "a constant of int32 has the number 1.5, which that type does not have"),
    .init(
      "constant_state", .unsupported,
      "is called with a constant as initial_state, [[1.0,2.0,3.0]], and only an output of another layer"
    ),
    .init("constant_type", .unsupported, "a constant has the type float99, which is not known"),
    .init("constant_object", .unsupported, "{\"three\":3} stands where a number is expected"),
    .init("constant_ragged", .malformed, "a list of lists of different lengths"),
    .init("constant_shape", .malformed, "differ along axis 1"),
    .init("constant_text", .unsupported, "\"three\" stands where a number is expected"),
    .init("dropout_in_training", .unsupported, "has rate=0.5, so that it draws random numbers"),
    .init("inbound_negative", .malformed, "is -1, and cannot be negative"),
    .init("inbound_nothing", .malformed, "the layer \"b\", which has 0"),
    .init("inbound_tensor", .malformed, "refers to output 1 of a, which has 1"),
    .init("json_cut", .malformed, "where the end of a string was expected"),
    .init("json_key_twice", .malformed, "the key \"units\" occurs twice"),
    .init("json_trailing", .malformed, "where the end of the text was expected"),
    .init("layers_none", .malformed, "describes a model without layers"),
    .init("layers_not_a_list", .malformed, "config.layers is a number, not a list"),
    .init(
      "merge_shapes", .malformed,
      "s (Add): the shapes [batch, 4], [batch, 3] differ along axis 1"),
    .init("output_missing", .malformed, "refers to the layer \"ghost\""),
    .init("output_none", .malformed, "the model has no output"),
    .init("same_name", .malformed, "#2 a (Dense): the layer #1 has the name \"a\" too"),
    .init("self_reference", .malformed, "#1 a (Add): the layer needs its own output"),
    .init("two_inputs_for_one", .malformed, "#1 a (Dense): takes one input and has 2"),
    .init(
      "unknown_layers", .unsupported,
      "3 layers of a class that is not supported:\n  #1 first (Hologram), takes float32 [batch, 4]\n"
        + "  #3 second (TimeMachine), years=-3\n  #4 third (Lambda), a function whose stored code cannot "
        + "be read (it is not a compiled Python function)\n"),
  ]

  /// Files with impossible settings (`settings.py`).
  static let settings: [HostileFile] = [
    .init(
      "activation_unknown", .unsupported,
      "#1 a (Dense): the activation function teleport is unknown"),
    .init("axis_outside", .malformed, "axis=9, and the input is float32 [batch, 8, 8, 3]"),
    .init(
      "cropping_everything", .malformed,
      "cropping 4 and 4 elements leaves nothing of an axis of 8"),
    .init("dilation_huge", .malformed, "y (Conv2D): the attribute dilation is"),
    .init("flag_number", .unsupported, "#1 a (Dense): use_bias=2, expected true or false"),
    .init("flag_text", .unsupported, "#1 a (Dense): use_bias=\"false\", expected true or false"),
    .init("groups_zero", .malformed, "groups=0, expected at least 1"),
    .init("infinite_slope", .unsupported, "y (LeakyReLU): alpha is NaN or infinite"),
    .init("input_dtype", .unsupported, "#0 x (InputLayer): strings as input are not supported"),
    .init("input_shape_huge", .malformed, "the product of its axes is too large"),
    .init("input_shape_negative", .malformed, "the input's shape has the size -4"),
    .init("input_shape_text", .malformed, "the input's shape has the size \"4\""),
    .init("kernel_too_large", .malformed, "a window of 3 elements does not fit an axis of 2"),
    .init("kernel_zero", .malformed, "y (Conv2D): the attribute window is [0, 0]"),
    .init("nan_epsilon", .unsupported, "y (BatchNormalization): epsilon is NaN or infinite"),
    .init("nan_scale", .unsupported, "y (Rescaling): scale is NaN or infinite"),
    .init(
      "padding_huge", .malformed,
      "y (ZeroPadding2D): the attribute before is [4611686018427387904, 4611686018427387904]"),
    .init("padding_negative", .malformed, "y (ZeroPadding2D): the attribute before is [-1, 0]"),
    .init(
      "padding_unknown", .unsupported,
      "padding=\"mirror\", expected one of valid, same, causal"),
    .init("permute_twice", .malformed, "dims=[1, 1, 2] is not an order"),
    .init("pool_zero", .malformed, "y (MaxPooling2D): the attribute window is [0, 2]"),
    .init("repeat_huge", .malformed, "repeats is 4611686018427387904, and must be"),
    .init("repeat_negative", .malformed, "repeats is -1, and must be at least 1"),
    .init("reshape_count", .malformed, "do not fit [7, 7], which takes 49"),
    .init("reshape_overflow", .malformed, "the product of its axes is too large"),
    .init("reshape_two_unknown", .malformed, "y (Reshape): the attribute shape is [-1, -1]"),
    .init("setting_missing", .malformed, "#1 a (Dense): the setting units is missing"),
    .init(
      "setting_of_another_type", .unsupported,
      "units=\"three\", expected an integer"),
    .init("setting_unknown", .unsupported, "#1 a (Dense): has the unknown setting warp=9"),
    .init("stride_negative", .malformed, "y (Conv2D): the attribute strides is [-1, -1]"),
    .init("stride_zero", .malformed, "y (Conv2D): the attribute strides is [0, 0]"),
    .init(
      "trainable_number", .malformed,
      "#1 inner/a (Dense): trainable is 2, and true or false is expected"),
    .init(
      "trainable_text", .malformed,
      "#1 a (Dense): trainable is \"false\", and true or false is expected"),
    .init("units_beyond_integers", .unsupported, ", expected an integer"),
    .init("units_huge", .malformed, "the layer takes [4, 4611686018427387904]"),
    .init("units_negative", .malformed, "#1 a (Dense): units=-3"),
    .init("upsampling_huge", .malformed, "factors is [4611686018427387904, 4611686018427387904]"),
    .init("upsampling_zero", .malformed, "factors is [0, 1], and must be at least 1"),
  ]
}
