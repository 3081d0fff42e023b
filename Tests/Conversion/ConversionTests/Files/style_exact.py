"""Records what the style network computes in double precision, with Keras 2.15 itself.

    TF_ENABLE_ONEDNN_OPTS=0 python style_exact.py <fixtures>/keras/real/van-gogh

(TensorFlow 2.15.1, Keras 2.15.0, NumPy 1.26.4, h5py 3.10.0.) Writes style_exact.npz: every 8th pixel of
the outputs for the two pictures, float32 after the computation. The recorded single-precision outputs of
the smooth picture are 1.6e-4 away from it, those of the noise 1.1e-6: in even areas the rounding errors
of a single-precision convolution are the same for all pixels and add up.
"""

import sys

import h5py
import numpy as np
from tensorflow import keras

L = keras.layers


def block(x, numbers, size, stride, padding):
    x = normalized(x, numbers, size, stride, padding)
    return L.ReLU()(x)


def normalized(x, numbers, size, stride, padding):
    number = next(numbers)
    x = L.Conv2D(64, size, strides=stride, padding=padding, name=f"conv2d_{number}")(x)
    return L.BatchNormalization(epsilon=1e-3, name=f"batch_normalization_{number}")(x)


def network():
    numbers = iter(range(1, 17))
    first = L.Input((320, 320, 3))
    x = L.ZeroPadding2D(40)(first)
    for size, stride in ((9, 1), (3, 2), (3, 2)):
        x = block(x, numbers, size, stride, "same")
    for _ in range(5):
        y = block(x, numbers, 3, 1, "valid")
        y = normalized(y, numbers, 3, 1, "valid")
        x = L.Add()([y, L.Cropping2D(2)(x)])
    for _ in range(2):
        x = block(L.UpSampling2D(2)(x), numbers, 3, 1, "same")
    x = L.Conv2D(3, 9, padding="same", activation="tanh", name=f"conv2d_{next(numbers)}")(x)
    return keras.Model(first, L.Rescaling(127.5, 127.5)(x))


def trained(folder):
    """The network with its weights, in double precision."""
    keras.backend.set_floatx("float64")
    model = network()
    with h5py.File(f"{folder}/van-gogh-starry-night_style.h5") as file:
        for layer in model.layers:
            if layer.get_weights():
                group = file[layer.name]
                layer.set_weights([group[name][()] for name in group.attrs["weight_names"]])
    return model


def main(folder):
    model = trained(folder)
    outputs = {}
    for picture in ("smooth", "noise"):
        pixels = np.load(f"{folder}/{picture}_inputs.npz")["in0"].astype("float64")
        outputs[picture] = model(pixels, training=False).numpy()[:, ::8, ::8].astype("float32")
    np.savez("style_exact.npz", **outputs)


if __name__ == "__main__":
    main(sys.argv[1])
