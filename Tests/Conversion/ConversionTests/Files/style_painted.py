"""Records what the style network paints of the two pictures as image files, with Keras 2.15 itself.

    TF_ENABLE_ONEDNN_OPTS=0 python style_painted.py <fixtures>/keras/real/van-gogh

(TensorFlow 2.15.0, Keras 2.15.0, NumPy 1.26.4, h5py 3.10.0.) An image file has whole numbers, and the recorded inputs
have not: they are rounded first. Writes style_painted.npz: every 4th pixel of the paintings, rounded to 8 bits.
"""

import sys

import numpy as np
from style_exact import trained


def main(folder):
    model = trained(folder)
    paintings = {}
    for picture in ("smooth", "noise"):
        pixels = np.rint(np.load(f"{folder}/{picture}_inputs.npz")["in0"]).astype("float64")
        painting = model(pixels, training=False).numpy()[0, ::4, ::4]
        paintings[picture] = np.rint(painting).clip(0, 255).astype("uint8")
    np.savez_compressed("style_painted.npz", **paintings)


main(sys.argv[1])
