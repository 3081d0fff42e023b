"""Trains the softening network with Keras 2.1.5 on TensorFlow 1.7 and writes all files of this folder.

    KERAS_BACKEND=tensorflow /tmp/keras215/bin/python train.py

The environment is that of `../sketch-classifier/train.py`.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.path.insert(0, str(FOLDER.parent / "shape-detector"))

import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.layers import Concatenate, Conv2D, Input, MaxPooling2D, UpSampling2D
from keras.models import Model

import drawing
from pictures import draw_picture

SEED = 20180407
PICTURES = 120
EPOCHS = 6
# A film with a warm tone: what red, green and blue of the new image have of the old one's.
TONE = np.array([[0.6, 0.3, 0.1], [0.3, 0.5, 0.1], [0.2, 0.3, 0.3]], np.float32)


def use_one_thread():
    """Makes TensorFlow add in one order, so that training again gives the same weights."""
    np.random.seed(SEED)
    tf.set_random_seed(SEED)
    options = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    K.set_session(tf.Session(config=options))


def build_model():
    """A U-Net of one level for images of any even size; a pixel depends on those up to 8 away."""
    image = Input((None, None, 3), name="photo")
    first = Conv2D(8, 3, padding="same", activation="relu")(image)
    inner = Conv2D(12, 3, padding="same", activation="relu")(MaxPooling2D()(first))
    both = Concatenate()([UpSampling2D()(inner), first])
    last = Conv2D(8, 3, padding="same", activation="relu")(both)
    return Model(image, Conv2D(3, 1, activation="sigmoid", name="painting")(last))


def draw(rng, count):
    """Pictures uint8 [count, 88, 88, 3] of shapes."""
    return np.stack([draw_picture(rng)[0] for _ in range(count)])


def soften(pictures):
    """The images that the network learns to make: blurred over 5 x 5 pixels and toned."""
    padded = np.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)), "edge")
    size = pictures.shape[1]
    blurred = sum(padded[:, y:y + size, x:x + size] for y in range(5) for x in range(5)) / 25
    return blurred @ TONE.T



def main():
    use_one_thread()
    pictures = draw(np.random.RandomState(SEED), PICTURES)
    inputs = pictures.astype(np.float32) / 255
    model = build_model()
    model.summary()
    model.compile("adam", loss="mse")
    model.fit(inputs, soften(inputs), batch_size=8, epochs=EPOCHS, verbose=2)
    model.save(str(FOLDER / "softening.h5"), include_optimizer=False)

    wide = np.concatenate(draw(np.random.RandomState(SEED + 1), 3), axis=1)
    odd = wide[:51, :67]
    padded = np.pad(odd, ((0, 1), (0, 1), (0, 0)), "edge")
    drawing.write_png(FOLDER / "wide.png", wide)
    drawing.write_png(FOLDER / "odd.png", odd)
    outputs = {"wide": model.predict(wide[None].astype(np.float32) / 255)[0],
               "odd": model.predict(padded[None].astype(np.float32) / 255)[0][:51, :67]}
    np.savez_compressed(str(FOLDER / "recorded.npz"), **outputs)
    for name, output in outputs.items():
        print(name, output.shape, output.min(), output.max())


if __name__ == "__main__":
    main()
