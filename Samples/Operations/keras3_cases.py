"""Cases of Keras 3.15: every activation function, and activations that are layers."""

from keras import layers

from recording import Case, Input

# All that `activation=` can name, but `threshold`, which lacks its settings then.
FUNCTIONS = [
    "celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu",
    "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax",
    "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "tanh", "tanh_shrink",
]


def activation_functions(x, y):
    """Each function on numbers around zero and on large ones."""
    return [layers.Activation(name, name=f"{name}{suffix}")(value)
            for name in FUNCTIONS for value, suffix in [(x, ""), (y, "_large")]]


def activation_layers(x):
    """Dense layers whose `activation` is a layer."""
    activations = [layers.LeakyReLU(0.1), layers.ReLU(1.5, 0.25, 0.5), layers.ELU(0.7), layers.Softmax(),
                   layers.PReLU()]
    return [layers.Dense(3, activation=activation)(x) for activation in activations]


CASES = [
    Case("activation_functions", [Input((3, 4)), Input((6,), -50, 50)], activation_functions),
    Case("activation_layers", [Input((4,))], activation_layers),
]
