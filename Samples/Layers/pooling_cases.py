"""Cases of the pooling layers.

The windowed layers have the same cases for the maximum and for the average. With padding "same" the padded
cells count in neither. TensorFlow has no channels_first kernel for windowed pooling on a CPU; the global
layers reduce over plain axes, so theirs is recorded.
"""

import keras.layers

from case import negative, one

IMAGE = (6, 8, 3)
ODD_IMAGE = (7, 5, 3)


def windowed_cases(prefix):
    """The cases of MaxPooling1D/2D/3D (prefix "Max") or AveragePooling1D/2D/3D (prefix "Average")."""
    pool1d, pool2d, pool3d = (getattr(keras.layers, f"{prefix}Pooling{rank}D") for rank in (1, 2, 3))
    stem = prefix.lower() + "_pooling"
    return [
        one(f"{stem}2d_valid", pool2d, IMAGE, pool_size=2),
        one(f"{stem}2d_same_2x2_stride1", pool2d, ODD_IMAGE, pool_size=2, strides=1, padding="same"),
        one(f"{stem}2d_same_3x3_stride2", pool2d, IMAGE, pool_size=3, strides=2, padding="same"),
        one(f"{stem}2d_valid_3x3_stride2", pool2d, IMAGE, pool_size=3, strides=2),
        one(f"{stem}2d_same_2x3_stride3x2", pool2d, ODD_IMAGE, pool_size=(2, 3), strides=(3, 2), padding="same"),
        one(f"{stem}2d_valid_odd_size", pool2d, ODD_IMAGE, pool_size=2),
        one(f"{stem}2d_same_odd_size", pool2d, ODD_IMAGE, pool_size=2, padding="same"),
        one(f"{stem}2d_same_negative", pool2d, ODD_IMAGE, draw=negative, pool_size=3, strides=2, padding="same"),
        one(f"{stem}2d_unknown_size", pool2d, (None, None, 2), data_shapes=[(7, 6, 2)], pool_size=2, padding="same"),
        one(f"{stem}1d_valid", pool1d, (7, 3), pool_size=2),
        one(f"{stem}1d_same_3_stride2", pool1d, (8, 3), pool_size=3, strides=2, padding="same"),
        one(f"{stem}3d_valid", pool3d, (4, 5, 6, 2), pool_size=2),
        one(f"{stem}3d_same_stride2x1x3", pool3d, (5, 4, 6, 2), pool_size=(3, 2, 2), strides=(2, 1, 3),
            padding="same"),
    ]


def global_cases(prefix):
    """The cases of GlobalMaxPooling1D/2D/3D or GlobalAveragePooling1D/2D/3D."""
    pool1d, pool2d, pool3d = (getattr(keras.layers, f"Global{prefix}Pooling{rank}D") for rank in (1, 2, 3))
    stem = f"global_{prefix.lower()}_pooling"
    return [
        one(f"{stem}1d", pool1d, (7, 3)),
        one(f"{stem}2d", pool2d, ODD_IMAGE),
        one(f"{stem}2d_channels_first", pool2d, (3, 5, 4), data_format="channels_first"),
        one(f"{stem}3d", pool3d, (3, 4, 5, 2)),
        one(f"{stem}1d_keepdims", pool1d, (7, 3), keepdims=True),
        one(f"{stem}2d_keepdims", pool2d, ODD_IMAGE, keepdims=True),
        one(f"{stem}3d_keepdims", pool3d, (3, 4, 5, 2), keepdims=True),
    ]


CASES = {
    "max_pooling": windowed_cases("Max"),
    "average_pooling": windowed_cases("Average"),
    "global_max_pooling": global_cases("Max"),
    "global_average_pooling": global_cases("Average"),
}
