"""Cases of the layers that move values without computing with them, and of those that interpolate."""

from keras.layers import (CenterCrop, Cropping1D, Cropping2D, Cropping3D, Flatten, Permute, RandomCrop, RepeatVector,
                          Reshape, Resizing, UpSampling1D, UpSampling2D, UpSampling3D, ZeroPadding1D, ZeroPadding2D,
                          ZeroPadding3D)

from case import one

SEQUENCE = (6, 3)
IMAGE = (4, 5, 3)
LARGE_IMAGE = (8, 9, 2)
VOLUME = (3, 4, 2, 2)
LARGE_VOLUME = (6, 7, 5, 2)


def interpolation_cases():
    """Every interpolation, once to a larger and once to a smaller image."""
    return [
        case
        for name in ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5"]
        for case in [
            one(f"resizing_{name}_larger", Resizing, IMAGE, height=9, width=7, interpolation=name),
            one(f"resizing_{name}_smaller", Resizing, (9, 11, 2), height=4, width=5, interpolation=name),
        ]
    ]


CASES = {
    "reshape": [
        one("flatten", Flatten, IMAGE),
        one("flatten_2d", Flatten, (6,)),
        one("flatten_channels_first", Flatten, IMAGE, data_format="channels_first"),
        one("reshape_image_to_matrix", Reshape, IMAGE, target_shape=(10, 6)),
        one("reshape_vector_to_image", Reshape, (60,), target_shape=(4, 5, 3)),
        one("reshape_unknown_extent", Reshape, IMAGE, target_shape=(-1, 3)),
    ],
    "transpose": [
        one("permute_2_1", Permute, SEQUENCE, dims=(2, 1)),
        one("permute_3_1_2", Permute, IMAGE, dims=(3, 1, 2)),
    ],
    "repeat_vector": [one("repeat_vector", RepeatVector, (5,), n=3)],
    "zero_padding": [
        one("zero_padding1d_asymmetric", ZeroPadding1D, SEQUENCE, padding=(2, 1)),
        one("zero_padding2d_symmetric", ZeroPadding2D, IMAGE, padding=(1, 2)),
        one("zero_padding2d_asymmetric", ZeroPadding2D, IMAGE, padding=((1, 0), (2, 3))),
        one("zero_padding2d_channels_first", ZeroPadding2D, (3, 4, 5), padding=((1, 0), (2, 3)),
            data_format="channels_first"),
        one("zero_padding3d_asymmetric", ZeroPadding3D, VOLUME, padding=((1, 2), (0, 1), (2, 0))),
    ],
    "cropping": [
        one("cropping1d_asymmetric", Cropping1D, SEQUENCE, cropping=(2, 1)),
        one("cropping2d_asymmetric", Cropping2D, LARGE_IMAGE, cropping=((1, 0), (2, 3))),
        one("cropping2d_channels_first", Cropping2D, (2, 8, 9), cropping=((1, 0), (2, 3)),
            data_format="channels_first"),
        one("cropping3d_asymmetric", Cropping3D, LARGE_VOLUME, cropping=((1, 2), (0, 1), (2, 0))),
    ],
    "upsampling": [
        one("upsampling1d", UpSampling1D, SEQUENCE, size=3),
        one("upsampling2d_nearest", UpSampling2D, IMAGE, size=(2, 3)),
        one("upsampling2d_nearest_channels_first", UpSampling2D, (3, 4, 5), size=(2, 3),
            data_format="channels_first"),
        one("upsampling2d_bilinear", UpSampling2D, IMAGE, size=2, interpolation="bilinear"),
        one("upsampling2d_bilinear_2x3", UpSampling2D, IMAGE, size=(2, 3), interpolation="bilinear"),
        one("upsampling3d", UpSampling3D, VOLUME, size=(2, 1, 3)),
    ],
    "resizing": [
        *interpolation_cases(),
        one("resizing_bilinear_wider_and_lower", Resizing, (9, 5, 2), height=3, width=10),
        one("resizing_keeps_proportions", Resizing, (8, 5, 2), height=4, width=6, crop_to_aspect_ratio=True),
        one("resizing_keeps_proportions_unknown_size", Resizing, (None, None, 2), data_shapes=[(5, 9, 2)], height=4,
            width=3, crop_to_aspect_ratio=True, interpolation="bicubic"),
        one("resizing_same_size", Resizing, IMAGE, height=4, width=5, interpolation="lanczos3"),
        one("random_crop", RandomCrop, (8, 5, 2), height=3, width=4),
        one("random_crop_smaller_input", RandomCrop, (8, 5, 2), height=4, width=7),
    ],
    "center_crop": [
        one("center_crop_even_and_odd", CenterCrop, (8, 9, 2), height=4, width=4),
        one("center_crop_odd_of_even", CenterCrop, (8, 9, 2), height=5, width=9),
        one("center_crop_smaller_input", CenterCrop, (8, 5, 2), height=4, width=7),
        one("center_crop_unknown_size", CenterCrop, (None, None, 2), data_shapes=[(8, 9, 2)], height=3, width=4),
    ],
}
