"""Cases of Keras 2.15: activations that are layers."""

from keras import layers

from recording import Case, Input


def activation_layers(x):
    """Dense layers whose `activation` is a layer."""
    activations = [layers.LeakyReLU(0.1), layers.ReLU(1.5, 0.25, 0.5), layers.ELU(0.7), layers.Softmax(),
                   layers.ThresholdedReLU(0.4), layers.PReLU()]
    return [layers.Dense(3, activation=activation)(x) for activation in activations]


CASES = [
    Case("activation_layers", [Input((4,))], activation_layers),
]
