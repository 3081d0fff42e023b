"""Attacks on layers' settings: unknown, impossible and enormous ones."""

from writing import conv, dense, layer, model, numbers, save, x

_HUGE = 2**62


def _image(path, y, weights=None, size=8):
    """A model of one layer on an image of 3 channels."""
    save(path, model(x(size, size, 3), y), {"x": {}, "y": weights or {}})


def _conv(path, **config):
    _image(path, conv(**config), {"y/kernel:0": numbers(3, 3, 3, 2)})


def setting_unknown(path):
    """A setting that no version of Keras has: it may change what the layer computes."""
    save(path, model(x(4), dense("a", "x", 3, warp=9), dense("b", "a", 2)))


def setting_of_another_type(path):
    """A text where a number belongs."""
    save(path, model(x(4), dense("a", "x", "three"), dense("b", "a", 2)))


def setting_missing(path):
    """A dense layer that does not say how many units it has."""
    save(path, model(x(4), layer("Dense", "a", ["x"]), dense("b", "a", 2)))


def activation_unknown(path):
    """An activation function that nobody knows."""
    save(path, model(x(4), dense("a", "x", 3, activation="teleport"), dense("b", "a", 2)))


def units_huge(path):
    """2^62 units."""
    save(path, model(x(4), dense("a", "x", _HUGE), dense("b", "a", 2)))


def units_negative(path):
    """A negative number of units."""
    save(path, model(x(4), dense("a", "x", -3), dense("b", "a", 2)))


def units_beyond_integers(path):
    """10^30 units, more than an integer holds."""
    save(path, model(x(4), dense("a", "x", 10**30), dense("b", "a", 2)))


def input_shape_huge(path):
    """An input of 2^62 x 2^62 numbers."""
    save(path, model(x(_HUGE, _HUGE), layer("Flatten", "y", ["x"])), {"x": {}, "y": {}})


def input_shape_negative(path):
    """An input with a negative extent."""
    save(path, model(x(-4), dense("a", "x", 3), dense("b", "a", 2)))


def input_shape_text(path):
    """An input whose extent is a text."""
    save(path, model(x("4"), dense("a", "x", 3), dense("b", "a", 2)))


def input_dtype(path):
    """An input of texts."""
    config = model(x(4), dense("a", "x", 3), dense("b", "a", 2))
    config["config"]["layers"][0]["config"]["dtype"] = "string"
    save(path, config)


def stride_zero(path):
    """A convolution that does not move on."""
    _conv(path, strides=[0, 0])


def stride_negative(path):
    """A convolution that moves backwards."""
    _conv(path, strides=[-1, -1])


def dilation_huge(path):
    """A window wider than any picture."""
    _conv(path, dilation_rate=[_HUGE, _HUGE])


def kernel_zero(path):
    """A window without pixels."""
    _image(path, conv(kernel_size=[0, 0]), {"y/kernel:0": numbers(0, 0, 3, 2)})


def kernel_too_large(path):
    """A window larger than the picture."""
    _image(path, conv(), {"y/kernel:0": numbers(3, 3, 3, 2)}, size=2)


def groups_zero(path):
    """A convolution with no group."""
    _conv(path, groups=0)


def padding_unknown(path):
    """A padding that Keras does not have."""
    _conv(path, padding="mirror")


def padding_huge(path):
    """Borders of 2^62 zeros."""
    _image(path, layer("ZeroPadding2D", "y", ["x"], padding=[[_HUGE, _HUGE], [_HUGE, _HUGE]]))


def padding_negative(path):
    """Borders of fewer than no zeros."""
    _image(path, layer("ZeroPadding2D", "y", ["x"], padding=[[-1, -1], [0, 0]]))


def cropping_everything(path):
    """Cropping that leaves nothing."""
    _image(path, layer("Cropping2D", "y", ["x"], cropping=[[4, 4], [5, 5]]))


def pool_zero(path):
    """Pooling over nothing."""
    _image(path, layer("MaxPooling2D", "y", ["x"], pool_size=[0, 2], strides=[1, 1], padding="valid"))


def upsampling_huge(path):
    """A picture made 2^62 times as high."""
    _image(path, layer("UpSampling2D", "y", ["x"], size=[_HUGE, _HUGE]))


def upsampling_zero(path):
    """A picture without rows."""
    _image(path, layer("UpSampling2D", "y", ["x"], size=[0, 1]))


def repeat_huge(path):
    """A row repeated 2^62 times."""
    save(path, model(x(4), layer("RepeatVector", "y", ["x"], n=_HUGE)), {"x": {}, "y": {}})


def repeat_negative(path):
    """A row repeated fewer than no times."""
    save(path, model(x(4), layer("RepeatVector", "y", ["x"], n=-1)), {"x": {}, "y": {}})


def reshape_two_unknown(path):
    """A shape with two axes to be found out."""
    _image(path, layer("Reshape", "y", ["x"], target_shape=[-1, -1]))


def reshape_count(path):
    """A shape of another number of elements."""
    _image(path, layer("Reshape", "y", ["x"], target_shape=[7, 7]))


def reshape_overflow(path):
    """A shape whose number of elements is 2^128, which wraps around to 0."""
    _image(path, layer("Reshape", "y", ["x"], target_shape=[2**62, 2**62, 16]))


def permute_twice(path):
    """A permutation that takes one axis twice."""
    _image(path, layer("Permute", "y", ["x"], dims=[1, 1, 2]))


def axis_outside(path):
    """An axis that the input does not have."""
    _image(
        path,
        layer("BatchNormalization", "y", ["x"], axis=[9], epsilon=0.001, center=False, scale=False),
        {"y/moving_mean:0": numbers(3), "y/moving_variance:0": numbers(3)},
    )


def nan_epsilon(path):
    """An epsilon that is NaN, as Python's json writes it."""
    _image(
        path,
        layer(
            "BatchNormalization", "y", ["x"], axis=[3], epsilon=float("nan"), center=False, scale=False),
        {"y/moving_mean:0": numbers(3), "y/moving_variance:0": numbers(3)},
    )


def nan_scale(path):
    """A scale that is NaN, as Python's json writes it."""
    _image(path, layer("Rescaling", "y", ["x"], scale=float("nan"), offset=0.0))


def infinite_slope(path):
    """A slope that is infinite, as Python's json writes it."""
    _image(path, layer("LeakyReLU", "y", ["x"], alpha=float("inf")))


def trainable_text(path):
    """A flag that is a text, which Python takes for true."""
    save(path, model(x(4), dense("a", "x", 3, trainable="false"), dense("b", "a", 2)))


def trainable_number(path):
    """A flag that is neither 0 nor 1, of a layer in a nested model, whose weights are stored in an order that depends on it."""
    inner = layer("Functional", "inner", ["x"])
    inner["config"] = {"name": "inner", "layers": [x(4), dense("a", "x", 3, trainable=2)],
                       "input_layers": [["x", 0, 0]], "output_layers": [["a", 0, 0]]}
    save(path, model(x(4), inner, dense("b", "inner", 2)), {"x": {}, "inner": {"a/kernel:0": numbers(4, 3), "a/bias:0": numbers(3)}, "b": {
        "b/kernel:0": numbers(3, 2), "b/bias:0": numbers(2)}})


def flag_text(path):
    """A text in place of a flag that decides whether a layer has a bias."""
    save(path, model(x(4), dense("a", "x", 3, use_bias="false"), dense("b", "a", 2)))


def flag_number(path):
    """A number in place of a flag."""
    save(path, model(x(4), dense("a", "x", 3, use_bias=2), dense("b", "a", 2)))
