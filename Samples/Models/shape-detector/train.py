"""Trains the shape detector with Keras 2.1.5 on TensorFlow 1.7 and writes all files of this folder.

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
from keras.layers import BatchNormalization, Conv2D, Input, LeakyReLU, MaxPooling2D
from keras.models import Model
from keras.optimizers import Adam

import drawing
from detection import OUTPUT_SHAPE, STRIDE, cluster_anchors, decode, detection_loss, encode, measure, suppress_overlaps
from pictures import CLASS_NAMES, SIZE, draw_picture

SEED = 20180401
# Draws a picture in which every shape is found with a high score.
SAMPLE_SEED = SEED + 4
BATCH_SIZE = 16
STEPS = 2200
TEST_PICTURES = 300


def use_one_thread():
    """Makes TensorFlow add in one order, so that training again gives the same weights."""
    np.random.seed(SEED)
    tf.set_random_seed(SEED)
    options = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    K.set_session(tf.Session(config=options))


def block(tensor, filters, pool_stride=None):
    """Tiny YOLO's unit: convolution, batch normalization, leaky ReLU, and perhaps a pooling."""
    tensor = Conv2D(filters, 3, padding="same", use_bias=False)(tensor)
    tensor = BatchNormalization()(tensor)
    tensor = LeakyReLU(alpha=0.1)(tensor)
    if pool_stride:
        tensor = MaxPooling2D(2, strides=pool_stride, padding="same" if pool_stride == 1 else "valid")(tensor)
    return tensor


def build_model():
    """Tiny YOLO with fewer and narrower blocks: 88 x 88 pixels give 11 x 11 cells."""
    inputs = tensor = Input((SIZE, SIZE, 3))
    for filters, pool_stride in [(8, 2), (10, 2), (20, 2), (48, 1), (64, None), (64, None)]:
        tensor = block(tensor, filters, pool_stride)
    return Model(inputs, Conv2D(OUTPUT_SHAPE[-1], 1)(tensor))


def to_input(pictures):
    """Pixels as the network wants them: float32 from 0 to 1."""
    return np.stack(pictures).astype(np.float32) / 255


def choose_anchors(rng):
    """Anchors in cells for the box sizes of 300 pictures, rounded to what anchors.txt holds."""
    boxes = np.concatenate([draw_picture(rng)[1].reshape(-1, 4) for _ in range(300)])
    return cluster_anchors((boxes[:, 2:] - boxes[:, :2]) / STRIDE).round(2)


def train(model, anchors, rng):
    """Trains on pictures that are drawn afresh for every step; the learning rate falls to zero along a cosine."""
    model.compile(Adam(), loss=detection_loss)
    average = None
    for step in range(STEPS):
        K.set_value(model.optimizer.lr, 0.003 * 0.5 * (1 + np.cos(np.pi * step / STEPS)))
        batch = [draw_picture(rng) for _ in range(BATCH_SIZE)]
        targets = np.stack([encode(boxes, classes, anchors) for _, boxes, classes in batch])
        loss = model.train_on_batch(to_input([picture for picture, _, _ in batch]), targets)
        average = loss if average is None else 0.95 * average + 0.05 * loss
        if step % 100 == 99:
            print("step {}: loss {:.3f}".format(step + 1, average), flush=True)


def evaluate(model, anchors, rng):
    """Prints the quality on pictures that training did not see."""
    samples = [draw_picture(rng) for _ in range(TEST_PICTURES)]
    outputs = model.predict(to_input([picture for picture, _, _ in samples]), batch_size=BATCH_SIZE)
    detections = [suppress_overlaps(*decode(output, anchors, threshold=0.005)) for output in outputs]
    mean_precision, precision, recall = measure(detections, [sample[1:] for sample in samples])
    print("mean average precision {:.4f}; at confidence 0.5: precision {:.4f}, recall {:.4f}".format(
        mean_precision, precision, recall))


def draw_sample(rng):
    """A picture that shows at least four shapes and all classes."""
    while True:
        picture, boxes, classes = draw_picture(rng)
        if len(boxes) >= 4 and len(set(classes)) == len(CLASS_NAMES):
            return picture, boxes, classes


def write_reference(model, anchors, rng):
    """Writes one picture, the input made of it, and what the network computes from it."""
    picture, boxes, classes = draw_sample(rng)
    inputs = to_input([picture])
    drawing.write_png(FOLDER / "picture.png", picture)
    np.save(str(FOLDER / "input.npy"), inputs)
    outputs = Model(model.input, [layer.output for layer in model.layers[1:]]).predict(inputs)
    np.savez(str(FOLDER / "layers.npz"), **{layer.name: output for layer, output in zip(model.layers[1:], outputs)})
    np.savez(str(FOLDER / "outputs.npz"), out0=model.predict(inputs))
    print("drawn:", [(CLASS_NAMES[index], box.round(1).tolist()) for box, index in zip(boxes, classes)])
    for box, index, score in zip(*suppress_overlaps(*decode(outputs[-1][0], anchors, threshold=0.3))):
        print("found: {} {:.4f} {}".format(CLASS_NAMES[index], score, box.round(1).tolist()))


def main():
    use_one_thread()
    anchors = choose_anchors(np.random.RandomState(SEED))
    model = build_model()
    model.summary()
    train(model, anchors, np.random.RandomState(SEED + 1))
    evaluate(model, anchors, np.random.RandomState(SEED + 2))
    model.save(str(FOLDER / "shape-detector.h5"), include_optimizer=False)
    (FOLDER / "anchors.txt").write_text(",".join("{:.2f}".format(value) for value in anchors.ravel()) + "\n")
    (FOLDER / "labels.names").write_text("\n".join(CLASS_NAMES) + "\n")
    write_reference(model, anchors, np.random.RandomState(SAMPLE_SEED))


if __name__ == "__main__":
    main()
