"""Trains the sketch classifier with Keras 2.1.5 on TensorFlow 1.7 and writes all files of this folder.

    python3.6 -m venv /tmp/keras215
    /tmp/keras215/bin/pip install -U "pip<22" && /tmp/keras215/bin/pip install -r requirements.txt
    KERAS_BACKEND=tensorflow /tmp/keras215/bin/python train.py
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential

import drawing
from sketches import CATEGORIES, LABELS, SIZE, draw_sketch, draw_sketches

SEED = 20180401
TRAINING_SKETCHES = 6000
TEST_SKETCHES = 1000
EPOCHS = 16
SAMPLE_LABEL = "star"


def use_one_thread():
    """Makes TensorFlow add in one order, so that training again gives the same weights."""
    np.random.seed(SEED)
    tf.set_random_seed(SEED)
    options = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    K.set_session(tf.Session(config=options))


def build_model():
    return Sequential([
        Conv2D(8, 3, activation="relu", input_shape=(SIZE, SIZE, 1)),
        MaxPooling2D(),
        Conv2D(16, 3, activation="relu"),
        MaxPooling2D(),
        Conv2D(32, 3, activation="relu"),
        MaxPooling2D(),
        Dropout(0.25),
        Flatten(),
        Dense(64, activation="relu"),
        Dropout(0.25),
        Dense(len(LABELS), activation="softmax"),
    ])


def to_input(sketches):
    """Pixels as the network wants them: float32 from 0 to 1, with a channel axis."""
    return sketches[..., None].astype(np.float32) / 255


def train(model):
    sketches, indices = draw_sketches(np.random.RandomState(SEED), TRAINING_SKETCHES)
    model.compile("adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(to_input(sketches), indices, batch_size=32, epochs=EPOCHS, verbose=2)


def evaluate(model):
    """Prints the accuracy on sketches that training did not see."""
    sketches, indices = draw_sketches(np.random.RandomState(SEED + 1), TEST_SKETCHES)
    predicted = model.predict(to_input(sketches)).argmax(axis=1)
    print("accuracy {:.4f}".format((predicted == indices).mean()))
    for index, label in enumerate(LABELS):
        print("  {}: {:.4f}".format(label, (predicted[indices == index] == index).mean()))


def write_reference(model):
    """Writes one sketch, the input made of it, and what the network computes from it."""
    sketch = draw_sketch(np.random.RandomState(SEED + 2), CATEGORIES[LABELS.index(SAMPLE_LABEL)])
    inputs = to_input(sketch[None])
    outputs = model.predict(inputs)
    drawing.write_png(FOLDER / "picture.png", sketch)
    np.save(str(FOLDER / "input.npy"), inputs)
    np.savez(str(FOLDER / "outputs.npz"), out0=outputs)
    print("picture.png is a {}: {}".format(SAMPLE_LABEL, dict(zip(LABELS, outputs[0].round(4).tolist()))))


def main():
    use_one_thread()
    model = build_model()
    model.summary()
    train(model)
    evaluate(model)
    model.save(str(FOLDER / "sketch-classifier.h5"), include_optimizer=False)
    (FOLDER / "labels.names").write_text("\n".join(LABELS) + "\n")
    write_reference(model)


if __name__ == "__main__":
    main()
