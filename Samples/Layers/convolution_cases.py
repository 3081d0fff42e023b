"""Cases of the layers that slide a kernel over their input, and of Dense.

No convolution with data_format="channels_first" is recorded: TensorFlow has no such kernel for a CPU.
"""

from keras.layers import (Conv1D, Conv2D, Conv3D, Dense, DepthwiseConv2D, SeparableConv2D)

from case import activation_variants, one, several

IMAGE = (7, 6, 3)
WIDE_IMAGE = (9, 10, 2)
SEQUENCE = (9, 3)
VOLUME = (5, 6, 4, 2)

CASES = {
    "convolution": [
        one("conv2d_valid", Conv2D, IMAGE, filters=4, kernel_size=3),
        one("conv2d_same_stride2", Conv2D, IMAGE, filters=4, kernel_size=3, strides=2, padding="same"),
        one("conv2d_valid_stride2", Conv2D, IMAGE, filters=4, kernel_size=3, strides=2),
        one("conv2d_same_stride3", Conv2D, WIDE_IMAGE, filters=3, kernel_size=3, strides=3, padding="same"),
        one("conv2d_same_kernel4x2_stride2x3", Conv2D, WIDE_IMAGE, filters=3, kernel_size=(4, 2), strides=(2, 3),
            padding="same"),
        one("conv2d_same_dilation2", Conv2D, IMAGE, filters=3, kernel_size=3, dilation_rate=2, padding="same"),
        one("conv2d_valid_dilation2x3", Conv2D, WIDE_IMAGE, filters=3, kernel_size=3, dilation_rate=(2, 3)),
        one("conv2d_groups2", Conv2D, (6, 5, 4), filters=6, kernel_size=3, groups=2),
        one("conv2d_same_no_bias", Conv2D, IMAGE, filters=4, kernel_size=3, padding="same", use_bias=False),
        several("conv2d_fused_activations",
                activation_variants(Conv2D, ["relu", "sigmoid", "tanh", "softmax"], filters=4, kernel_size=2), IMAGE),
        one("conv2d_unknown_size", Conv2D, (None, None, 3), data_shapes=[(6, 9, 3)], filters=4, kernel_size=3,
            strides=2, padding="same"),
        one("depthwise_conv2d_same", DepthwiseConv2D, IMAGE, kernel_size=3, padding="same"),
        one("depthwise_conv2d_valid_stride2_multiplier2", DepthwiseConv2D, IMAGE, kernel_size=3, strides=2,
            depth_multiplier=2),
        one("separable_conv2d_same_relu", SeparableConv2D, IMAGE, filters=4, kernel_size=3, padding="same",
            activation="relu"),
        one("separable_conv2d_valid_multiplier2_no_bias", SeparableConv2D, IMAGE, filters=5, kernel_size=3,
            depth_multiplier=2, use_bias=False),
        one("conv1d_same_stride2", Conv1D, SEQUENCE, filters=4, kernel_size=4, strides=2, padding="same"),
        one("conv1d_valid_dilation2", Conv1D, SEQUENCE, filters=4, kernel_size=3, dilation_rate=2),
        one("conv1d_causal_dilation2", Conv1D, SEQUENCE, filters=4, kernel_size=3, dilation_rate=2, padding="causal"),
        one("conv1d_causal_stride2", Conv1D, SEQUENCE, filters=4, kernel_size=3, strides=2, padding="causal"),
        one("conv3d_same_stride2", Conv3D, VOLUME, filters=3, kernel_size=3, strides=2, padding="same"),
        one("conv3d_valid", Conv3D, VOLUME, filters=3, kernel_size=(2, 3, 1)),
    ],
    "dense": [
        one("dense_2d", Dense, (6,), units=4),
        one("dense_3d", Dense, (5, 6), units=4),
        one("dense_4d", Dense, (3, 2, 6), units=4),
        one("dense_no_bias", Dense, (6,), units=4, use_bias=False),
        several("dense_fused_activations", activation_variants(Dense, ["relu", "softmax"], units=4), (6,)),
    ],
}
