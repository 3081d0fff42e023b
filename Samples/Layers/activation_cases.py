"""Cases of the element-wise functions, of Softmax, and of the layers that do nothing at inference."""

from keras.layers import (ELU, Activation, ActivityRegularization, Dropout, GaussianNoise, LeakyReLU, PReLU,
                          RandomBrightness, RandomContrast, RandomFlip, RandomHeight, RandomRotation,
                          RandomTranslation, RandomWidth, RandomZoom, ReLU, Softmax, SpatialDropout2D,
                          ThresholdedReLU)

from case import one, wide

VECTOR = (24,)
IMAGE = (4, 5, 3)


def by_name(function):
    """The case of the layer Activation(function)."""
    return one(f"activation_{function}", Activation, VECTOR, activation=function)


def by_name_wide(function):
    """The same on values far from zero."""
    return one(f"activation_{function}_wide", Activation, VECTOR, draw=wide, activation=function)


CASES = {
    "leaky_relu": [
        one("leaky_relu_alpha0_1", LeakyReLU, IMAGE, alpha=0.1),
        one("leaky_relu_default", LeakyReLU, IMAGE),
    ],
    "relu": [
        by_name("relu"),
        one("relu", ReLU, IMAGE),
        one("relu_maximum6", ReLU, VECTOR, draw=wide, max_value=6.0),
        one("relu_slope0_1_threshold0_5", ReLU, VECTOR, negative_slope=0.1, threshold=0.5),
    ],
    "elu": [by_name("elu"), by_name_wide("elu"), one("elu_alpha0_7", ELU, IMAGE, alpha=0.7)],
    "sigmoid": [by_name("sigmoid"), by_name_wide("sigmoid")],
    "tanh": [by_name("tanh"), by_name_wide("tanh")],
    "softmax": [
        one("activation_softmax_2d", Activation, (7,), activation="softmax"),
        one("activation_softmax_4d", Activation, IMAGE, activation="softmax"),
        by_name_wide("softmax"),
        one("softmax_axis1", Softmax, IMAGE, axis=1),
    ],
    "softplus": [by_name("softplus"), by_name_wide("softplus")],
    "softsign": [by_name("softsign")],
    # Keras 2.15 saves the activation "silu" as "swish".
    "swish": [by_name("swish"), by_name_wide("swish")],
    "gelu": [by_name("gelu"), by_name_wide("gelu")],
    "selu": [by_name("selu"), by_name_wide("selu")],
    "exponential": [by_name("exponential")],
    "hard_sigmoid": [by_name("hard_sigmoid")],
    "prelu": [
        one("prelu_full", PReLU, IMAGE),
        one("prelu_shared_axes", PReLU, IMAGE, shared_axes=[1, 2]),
        one("prelu_2d", PReLU, (6,)),
    ],
    "thresholded_relu": [one("thresholded_relu_theta0_6", ThresholdedReLU, IMAGE, theta=0.6)],
    "identity": [
        by_name("linear"),
        one("dropout", Dropout, VECTOR, rate=0.4),
        one("spatial_dropout2d", SpatialDropout2D, IMAGE, rate=0.4),
        one("gaussian_noise", GaussianNoise, IMAGE, stddev=0.5),
        one("activity_regularization", ActivityRegularization, VECTOR, l1=0.01, l2=0.02),
        one("random_brightness", RandomBrightness, IMAGE, factor=0.3),
        one("random_contrast", RandomContrast, IMAGE, factor=0.3),
        one("random_flip", RandomFlip, IMAGE),
        one("random_height", RandomHeight, IMAGE, factor=0.3),
        one("random_rotation", RandomRotation, IMAGE, factor=0.3),
        one("random_translation", RandomTranslation, IMAGE, height_factor=0.3, width_factor=0.2),
        one("random_width", RandomWidth, IMAGE, factor=0.3),
        one("random_zoom", RandomZoom, IMAGE, height_factor=0.3),
    ],
}
