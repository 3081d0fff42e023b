"""Cases of the layers that shift and scale, by stored numbers or by the input's own statistics."""

from keras.layers import (BatchNormalization, GroupNormalization, LayerNormalization, Normalization, Rescaling,
                          UnitNormalization)

from case import one, pixels

IMAGE = (4, 5, 3)

CASES = {
    "batch_normalization": [
        one("batch_normalization_default", BatchNormalization, IMAGE),
        one("batch_normalization_no_scale", BatchNormalization, IMAGE, scale=False),
        one("batch_normalization_no_center", BatchNormalization, IMAGE, center=False),
        one("batch_normalization_neither", BatchNormalization, IMAGE, scale=False, center=False),
        one("batch_normalization_epsilon0_05", BatchNormalization, IMAGE, epsilon=0.05),
        # Keras 2.15 stores the axis as a list, here [1], however it was given; Keras 2.1 stores a number.
        one("batch_normalization_axis1", BatchNormalization, IMAGE, axis=1),
        one("batch_normalization_2d", BatchNormalization, (6,)),
        one("batch_normalization_5d", BatchNormalization, (2, 3, 4, 2)),
    ],
    "layer_normalization": [
        one("layer_normalization_default", LayerNormalization, IMAGE),
        one("layer_normalization_axis1", LayerNormalization, IMAGE, axis=1),
        one("layer_normalization_axes2_3", LayerNormalization, IMAGE, axis=[2, 3]),
        one("layer_normalization_no_scale", LayerNormalization, IMAGE, scale=False),
        one("layer_normalization_neither_epsilon1e-6", LayerNormalization, (6,), center=False, scale=False,
            epsilon=1e-6),
        one("layer_normalization_no_center_unknown_size", LayerNormalization, (None, 4), data_shapes=[(5, 4)],
            center=False),
    ],
    "group_normalization": [
        one("group_normalization_groups2", GroupNormalization, (3, 5, 4), groups=2),
        one("group_normalization_instance", GroupNormalization, IMAGE, groups=-1),
        one("group_normalization_one_group_axis1", GroupNormalization, IMAGE, groups=1, axis=1),
        one("group_normalization_groups2_axis-2", GroupNormalization, (3, 4, 2), groups=2, axis=-2,
            scale=False),
        one("group_normalization_vector_epsilon0_05", GroupNormalization, (6,), groups=3, center=False, epsilon=0.05),
    ],
    "unit_normalization": [
        one("unit_normalization_default", UnitNormalization, IMAGE),
        one("unit_normalization_axes1_2", UnitNormalization, IMAGE, axis=[1, 2]),
    ],
    "normalization": [
        one("normalization_adapted", Normalization, IMAGE),
        one("normalization_adapted_axes1_3", Normalization, IMAGE, axis=[1, 3]),
        one("normalization_scalar_weights", Normalization, IMAGE, axis=None),
        one("normalization_settings", Normalization, IMAGE, mean=[0.4, 0.5, -0.6], variance=[0.04, 2.5, 1.44]),
        one("normalization_settings_inverse", Normalization, IMAGE, mean=[0.4, 0.5, -0.6], variance=[0.04, 2.5, 1.44],
            invert=True),
        one("normalization_settings_scalar", Normalization, (6,), axis=None, mean=0.4, variance=0.05),
        one("normalization_settings_no_variance", Normalization, (6,), mean=0.5, variance=0.0),
        one("normalization_settings_one_for_all", Normalization, IMAGE, mean=1.5, variance=4.0),
    ],
    "rescaling": [
        one("rescaling_to_unit_range", Rescaling, IMAGE, draw=pixels, scale=1 / 127.5, offset=-1.0),
        one("rescaling_offset_per_channel", Rescaling, IMAGE, draw=pixels, scale=1 / 255, offset=[-0.4, 0.1, 0.7]),
    ],
}
