"""Records models with Lambda layers, as the Keras that runs this writes them.

    <environment with keras==2.0.8>/bin/python record.py      # steering.h5, and so on with other versions
    <environment with keras==2.15.0>/bin/python record.py
    <environment with keras==3.15>/bin/python record.py

The steering networks of self-driving courses begin as `steering` does. Each case is the model, its input and what
Keras makes of it: <version>/<case>.h5 (.keras by Keras 3), .inputs.npz and .outputs.npz.
"""

import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
from keras import layers

IS_KERAS_3 = keras.__version__.startswith("3")
if IS_KERAS_3:
    from keras import ops
else:
    from keras import backend as K
Lambda = layers.Lambda


def resize(image):
    import tensorflow as tf

    return tf.image.resize_images(image, (5, 9))


def steering():
    model = keras.models.Sequential()
    model.add(Lambda(lambda x: x / 127.5 - 1.0, input_shape=(16, 32, 3), name="lambda_1"))
    model.add(layers.Cropping2D(cropping=((5, 2), (0, 0))))
    model.add(layers.Conv2D(4, (5, 5), strides=(2, 2), activation="elu"))
    model.add(layers.Flatten())
    model.add(layers.Dense(1))
    return model


def resize_aligned(image):
    import tensorflow as tf

    return tf.image.resize_images(image, [20, 45], align_corners=True)


def resize_nearest(image):
    from keras.backend import tf as ktf

    return ktf.image.resize_images(image, (7, 40), method=1)


def resized():
    """What TensorFlow 1 makes of pictures, and a function behind one that makes another shape."""
    x = layers.Input((16, 32, 3), name="in0")
    functions = [
        resize,
        resize_aligned,
        resize_nearest,
        lambda x: tf.image.resize_nearest_neighbor(x, (21, 13), align_corners=True),
        lambda x: tf.image.resize_images(x, (32, 64)),
        lambda x: tf.image.resize_images(x, (8, 20), tf.image.ResizeMethod.AREA),
        lambda x: K.resize_images(x, 2, 3, "channels_last"),
    ]
    made = [Lambda(function, name="lambda_%d" % (index + 1))(x) for index, function in enumerate(functions)]
    made.append(Lambda(lambda x: (x - 128) / 64.0, name="lambda_8")(made[0]))
    return keras.models.Model(x, made[1:])


def chain():
    """The usual functions side by side."""
    x = layers.Input((4, 6, 3), name="in0")
    functions = [
        lambda x: x[:, 1:3],
        lambda x: x[:, :, ::-1, 0],
        lambda x: x[:, -1],
        lambda x: x / 255,
        lambda x: 1 - (x - [1.0, 2.0, 3.0]) / [2.0, 4.0, 8.0],
    ]
    if IS_KERAS_3:
        functions += [
            lambda x: ops.expand_dims(x, 1),
            lambda x: ops.squeeze(x[:, 1:2], 1),
            lambda x: ops.argmax(x, -1),
            lambda x: ops.flip(x, [1, 2]),
        ]
    else:
        functions += [
            lambda x: K.expand_dims(x, 1),
            lambda x: K.squeeze(x[:, 1:2], 1),
            lambda x: K.argmax(x, -1),
            lambda x: K.reverse(x, [1, 2]),
            lambda x: K.l2_normalize(x, axis=-1),
        ]
    shapes = [(2, 6, 3), (4, 6), (6, 3), (4, 6, 3), (4, 6, 3), (1, 4, 6, 3), (6, 3), (4, 6), (4, 6, 3), (4, 6, 3)]
    outputs = []
    for index, function in enumerate(functions):
        name = "lambda_%d" % (index + 1)
        outputs.append(Lambda(function, output_shape=shapes[index], name=name)(x))
    return keras.models.Model(x, outputs)


def scaled():
    """A cast in front of a normalization."""
    x = layers.Input((4, 6, 3), name="in0")
    return keras.models.Model(x, Lambda(lambda x: tf.cast(x, tf.float32) / 255.0, name="lambda_1")(x))


def main():
    version = keras.__version__
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), version)
    if not os.path.isdir(folder):
        os.mkdir(folder)
    cases = [steering, chain] + ([resized] if version.startswith("2.0") else [])
    cases += [scaled] if version.startswith("2.15") else []
    if not IS_KERAS_3:
        global tf
        import tensorflow as tf
    for case in cases:
        rng = np.random.RandomState(len(case.__name__))
        model = case()
        model.set_weights([rng.uniform(-0.2, 0.2, weight.shape) for weight in model.get_weights()])
        shape = (2,) + tuple(model.input_shape[1:])
        high = 255 if case is not chain else 2
        given = rng.uniform(0, high, shape).astype("float32")
        made = model.predict(given)
        made = made if isinstance(made, list) else [made]
        names = [name.split("/")[0] for name in getattr(model, "output_names", ["out"])]
        path = os.path.join(folder, case.__name__)
        model.save(path + (".keras" if IS_KERAS_3 else ".h5"), **(
            {} if IS_KERAS_3 else {"include_optimizer": False}))
        np.savez(path + ".inputs.npz", in0=given)
        np.savez(path + ".outputs.npz", **dict(zip(names, [np.asarray(array) for array in made])))


if __name__ == "__main__":
    main()
