"""Numbers that arise inside a model although its inputs have none of them, for the Keras of every version: NaN and
infinities, which reach layers that choose, limit or add."""

from recording import Case, Input


def arising_cases(keras):
    """The case."""
    layers = keras.layers
    if keras.__version__.startswith("3"):
        functions = keras.ops
        sqrt, log = functions.sqrt, functions.log
    else:
        import tensorflow as functions
        sqrt, log = functions.sqrt, functions.math.log

    def arising_numbers(x, y, picture, tokens, nothing):
        """Logarithms and roots of negative numbers and of 0, and means of nothing."""
        undefined, least, spoiled = log(x), log(layers.ReLU()(x)), sqrt(picture)
        result = [layers.Maximum()([undefined, y]), functions.maximum(undefined, 1.0),
                  layers.Add()([undefined, y]), layers.Average()([least, y]), layers.Dense(2)(undefined)]
        result += [layers.GlobalAveragePooling2D()(spoiled), layers.Flatten()(spoiled)]
        if not keras.__version__.startswith("2.4"):  # Before TensorFlow 2.5, its vectorization decides.
            result += [layers.Minimum()([y, undefined]), layers.GlobalMaxPooling2D()(spoiled)]
        result += [layers.Activation(name)(each) for name in ("softplus", "sigmoid", "tanh", "elu") for each in (least, undefined)]
        embed = layers.Embedding(6, 3, mask_zero=True)
        for steps in (embed(tokens), embed(nothing)):
            mean = layers.GlobalAveragePooling1D()(steps)
            result += [mean, layers.Maximum()([mean, layers.GlobalMaxPooling1D()(steps)])]
        return result

    return [Case("arising_numbers", [Input((4,)), Input((4,)), Input((4, 4, 2), -0.2, 2.0), Input((4,), 0, 3, "int32"),
                                     Input((4,), 0, 1, "int32")], arising_numbers)]
