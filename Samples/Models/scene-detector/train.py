"""Trains the shape detector further, on scenes, with Keras 2.15.0 on TensorFlow 2.15; writes `scene-detector.h5`.

    python3.11 -m venv /tmp/keras2150
    /tmp/keras2150/bin/pip install -r requirements.txt
    /tmp/keras2150/bin/python train.py

It starts from the weights of `../shape-detector/shape-detector.h5`, whose loss and anchors it uses. `record.py` draws
the scenes that are searched.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
DETECTOR = FOLDER.parent / "shape-detector"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent), str(DETECTOR)]

import keras
import keras.backend as K
import numpy as np
import tensorflow as tf

from detection import decode, detection_loss, encode, measure, suppress_overlaps
from scenes import draw_scene, varied

SEED = 20180501
DRAWN_SCENES = 8000
BATCH_SIZE = 32
STEPS = 2000
TEST_SCENES = 300


def use_one_thread():
    """Makes TensorFlow add in one order, so that training again gives the same weights."""
    keras.utils.set_random_seed(SEED)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)


def read_anchors():
    """The shape detector's anchors [3, 2], in cells."""
    return np.array((DETECTOR / "anchors.txt").read_text().split(","), float).reshape(-1, 2)


def to_input(pictures):
    """Pixels as the network wants them: float32 from 0 to 1."""
    return np.stack(pictures).astype(np.float32) / 255


def train(model, anchors, rng):
    """Trains on variations of drawn scenes; the learning rate falls to zero along a cosine."""
    scenes = [draw_scene(rng) for _ in range(DRAWN_SCENES)]
    model.compile(keras.optimizers.legacy.Adam(), loss=detection_loss)
    average = None
    for step in range(STEPS):
        K.set_value(model.optimizer.lr, 0.002 * 0.5 * (1 + np.cos(np.pi * step / STEPS)))
        batch = [varied(rng, scenes[index]) for index in rng.randint(len(scenes), size=BATCH_SIZE)]
        targets = np.stack([encode(boxes, classes, anchors) for _, boxes, classes in batch])
        loss = model.train_on_batch(to_input([picture for picture, _, _ in batch]), targets)
        average = loss if average is None else 0.95 * average + 0.05 * loss
        if step % 100 == 99:
            print("step {}: loss {:.3f}".format(step + 1, average), flush=True)


def evaluate(model, anchors, rng):
    """Prints the quality on scenes that training did not see."""
    scenes = [draw_scene(rng) for _ in range(TEST_SCENES)]
    outputs = model.predict(to_input([scene[0] for scene in scenes]), batch_size=BATCH_SIZE, verbose=0)
    detections = [suppress_overlaps(*decode(output, anchors, threshold=0.005)) for output in outputs]
    print("mean average precision {:.4f}; at confidence 0.5: precision {:.4f}, recall {:.4f}".format(
        *measure(detections, [scene[1:] for scene in scenes])), flush=True)


def main():
    use_one_thread()
    anchors = read_anchors()
    model = keras.models.load_model(str(DETECTOR / "shape-detector.h5"), compile=False)
    evaluate(model, anchors, np.random.RandomState(SEED + 2))
    train(model, anchors, np.random.RandomState(SEED + 1))
    evaluate(model, anchors, np.random.RandomState(SEED + 2))
    model.save(str(FOLDER / "scene-detector.h5"), include_optimizer=False)


if __name__ == "__main__":
    main()
