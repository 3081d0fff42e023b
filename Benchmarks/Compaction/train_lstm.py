#!/usr/bin/env python3
"""Trains a small LSTM that predicts the next character of this repository's documentation.

usage: train_lstm.py OUT.h5 TEXTS

TEXTS becomes a folder of arrays `0.npy`, `1.npy` and so on of text that was not used in training, in the form of the
model's input: `[1, 64, 96]`, each character as a one-hot vector. Needs keras and tensorflow
(Inference/requirements.txt).
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy

LENGTH, KINDS, COUNT, KEPT = 64, 96, 16000, 144


def windows(text, count, random):
    """Returns one-hot pieces of a text, and the character after each."""
    starts = random.integers(0, len(text) - LENGTH, count)
    pieces = numpy.stack([text[start:start + LENGTH + 1] for start in starts])
    return numpy.eye(KINDS, dtype="f4")[pieces[:, :-1]], pieces[:, -1]


def main():
    target, folder = sys.argv[1:]
    root = pathlib.Path(__file__).parents[2]
    pages = sorted(root.glob("*.md")) + sorted(root.glob("Sources/**/*.md")) + sorted(root.glob("Schemas/*.md"))
    letters = "".join(page.read_text() for page in pages).encode("ascii", "replace")
    text = numpy.clip(numpy.frombuffer(letters, "u1").astype(int) - 31, 0, KINDS - 1)
    end = len(text) * 9 // 10
    random = numpy.random.default_rng(1)
    keras.utils.set_random_seed(1)
    model = keras.Sequential([
        keras.Input((LENGTH, KINDS), name="text"),
        keras.layers.LSTM(160, return_sequences=True), keras.layers.LSTM(160),
        keras.layers.Dense(KINDS, name="next")])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
    model.fit(*windows(text[:end], COUNT, random), batch_size=128, epochs=4, verbose=2)
    seen, next_one = windows(text[end:], KEPT, random)
    print("on text that it has not seen:", model.evaluate(seen, next_one, verbose=0))
    model.save(target)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for number, piece in enumerate(seen):
        numpy.save(f"{folder}/{number}.npy", piece[None])


if __name__ == "__main__":
    main()
