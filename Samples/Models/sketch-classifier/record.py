"""Draws 200 sketches and records what Keras 2.1.5 computes of them: the folder `sketches` and `sketches.npz`.

    KERAS_BACKEND=tensorflow /tmp/keras215/bin/python record.py

The environment is that of `train.py`. The model is not trained again.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import numpy as np
from keras.models import Model, load_model

import drawing
from sketches import CATEGORIES, LABELS, draw_sketch

SEED = 20180404
PER_CATEGORY = 25
FEATURES = "dense_1"


def draw():
    """The sketches [200, 64, 64], 25 of each category in turn, none of which training saw."""
    rng = np.random.RandomState(SEED)
    return np.stack([draw_sketch(rng, CATEGORIES[index % len(CATEGORIES)])
                     for index in range(PER_CATEGORY * len(CATEGORIES))])


def main():
    target = FOLDER / "sketches"
    target.mkdir(exist_ok=True)
    sketches = draw()
    for index, sketch in enumerate(sketches):
        drawing.write_png(target / "{:03}-{}.png".format(index, LABELS[index % len(LABELS)]), sketch)
    model = load_model(str(FOLDER / "sketch-classifier.h5"), compile=False)
    extractor = Model(model.input, [model.get_layer(FEATURES).output, model.output])
    features, probabilities = extractor.predict(sketches[..., None].astype(np.float32) / 255)
    np.savez_compressed(str(FOLDER / "sketches.npz"), features=features, probabilities=probabilities)
    right = probabilities.argmax(axis=1) == np.arange(len(sketches)) % len(LABELS)
    print("{} of {} are classified as they were drawn".format(right.sum(), len(sketches)))


if __name__ == "__main__":
    main()
