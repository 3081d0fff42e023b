"""Records how TensorFlow resizes drawing.png. Writes beside itself.

Needs TensorFlow (recorded with 2.15.1).
"""

import pathlib

import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
SIZES = [(16, 16), (64, 48), (11, 60), (90, 9), (37, 13)]

picture = np.load(HERE / "pixels.npz")["drawing.png"].astype(np.float32)[None]
version1 = tf.compat.v1.image.resize_bilinear
ways = {
    "half-pixel": lambda size: tf.image.resize(picture, size, method="bilinear"),
    "top-left": lambda size: version1(picture, size),
    # The arithmetic that darknet shares, but for its last row.
    "darknet": lambda size: version1(picture, size, align_corners=True),
}
result = {
    f"{name} stretch {width}x{height}": way((height, width)).numpy()[0]
    for name, way in ways.items()
    for width, height in SIZES
}
np.savez_compressed(HERE / "resized_by_tensorflow.npz", **result)
