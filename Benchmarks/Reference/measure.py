"""Measures the layers of the reference engine, which `verify` compares every other engine with.

    python measure.py PROGRAM [LAYER...]

makes a model with a single layer of Keras for each line of the table, and prints the least time of ten runs in
milliseconds. Several programs, such as that of an earlier commit, are given with commas between them, and take turns.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import keras
from keras import layers

IMAGE = (104, 104, 64)
ROUNDS = 3
LAYERS = {
    "batch normalization": (IMAGE, layers.BatchNormalization),
    "layer normalization": (IMAGE, layers.LayerNormalization),
    "group normalization": (IMAGE, lambda: layers.GroupNormalization(8)),
    "global average pooling": (IMAGE, layers.GlobalAveragePooling2D),
    "ELU": (IMAGE, layers.ELU),
    "Mish": (IMAGE, lambda: layers.Activation("mish")),
    "PReLU": (IMAGE, lambda: layers.PReLU(shared_axes=[1, 2])),
    "softmax": (IMAGE, layers.Softmax),
    "zero padding": (IMAGE, layers.ZeroPadding2D),
    "convolution, 3 x 3": ((52, 52, 64), lambda: layers.Conv2D(128, 3, padding="same")),
    "convolution, 3 x 3, 1024 channels": ((13, 13, 512), lambda: layers.Conv2D(1024, 3, padding="same")),
    "convolution, 3 x 3, strides 2": (IMAGE, lambda: layers.Conv2D(64, 3, strides=2, padding="same")),
    "depthwise convolution": (IMAGE, lambda: layers.DepthwiseConv2D(3, padding="same")),
    "transposed convolution": ((52, 52, 64), lambda: layers.Conv2DTranspose(32, 3, strides=2, padding="same")),
    "mel spectrogram of 10 s": ((160_000,), lambda: layers.MelSpectrogram(sequence_stride=160)),
    "dense": ((64, 1024), lambda: layers.Dense(1024)),
    "attention of 8 heads": ((128, 256), lambda: layers.MultiHeadAttention(8, 32)),
}


def make(folder, name):
    shape, layer = LAYERS[name]
    inputs = keras.Input(shape)
    layer = layer()
    outputs = layer(inputs, inputs) if isinstance(layer, layers.MultiHeadAttention) else layer(inputs)
    path = folder / "model.keras"
    keras.Model(inputs, outputs).save(path)
    return path


def milliseconds(program, model):
    """The least time of a run, without reading the model."""
    command = [program, "run", str(model), "--inputs", "random:1", "--engine", "reference", "--repeat", "10", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["min_ms"]


def main():
    programs = sys.argv[1].split(",")
    print("| layer | " + " | ".join(programs) + " |\n|---|" + "---:|" * len(programs))
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or LAYERS:
            model = make(Path(folder), name)
            times = {program: [] for program in programs}
            for _ in range(ROUNDS):
                for program in programs:
                    times[program].append(milliseconds(program, model))
            print(f"| {name} | " + " | ".join(f"{min(times[program]):.1f}" for program in programs) + " |", flush=True)


if __name__ == "__main__":
    main()
