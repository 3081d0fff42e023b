"""Cases of the layers that slide a kernel over their input, and of Dense.

No convolution with data_format="channels_first" is recorded: TensorFlow has no such kernel for a CPU.
"""

from keras.layers import (Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, Dense,
                          DepthwiseConv2D, SeparableConv2D, SpectralNormalization)

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
        one("spectral_normalization_conv2d", SpectralNormalization, IMAGE,
            layer=Conv2D(filters=4, kernel_size=3, activation="relu", name="wrapped")),
        one("conv1d_same_stride2", Conv1D, SEQUENCE, filters=4, kernel_size=4, strides=2, padding="same"),
        one("conv1d_valid_dilation2", Conv1D, SEQUENCE, filters=4, kernel_size=3, dilation_rate=2),
        one("conv1d_causal_dilation2", Conv1D, SEQUENCE, filters=4, kernel_size=3, dilation_rate=2, padding="causal"),
        one("conv1d_causal_stride2", Conv1D, SEQUENCE, filters=4, kernel_size=3, strides=2, padding="causal"),
        one("conv3d_same_stride2", Conv3D, VOLUME, filters=3, kernel_size=3, strides=2, padding="same"),
        one("conv3d_valid", Conv3D, VOLUME, filters=3, kernel_size=(2, 3, 1)),
    ],
    "transposed_convolution": [
        one("conv2d_transpose_valid", Conv2DTranspose, IMAGE, filters=4, kernel_size=3),
        one("conv2d_transpose_same_stride2", Conv2DTranspose, IMAGE, filters=4, kernel_size=3, strides=2,
            padding="same"),
        one("conv2d_transpose_same_kernel4x2_stride2x3", Conv2DTranspose, IMAGE, filters=3, kernel_size=(4, 2),
            strides=(2, 3), padding="same"),
        one("conv2d_transpose_valid_kernel2x3_stride3x2", Conv2DTranspose, IMAGE, filters=3, kernel_size=(2, 3),
            strides=(3, 2)),
        one("conv2d_transpose_valid_output_padding1x0", Conv2DTranspose, IMAGE, filters=3, kernel_size=3, strides=2,
            output_padding=(1, 0)),
        one("conv2d_transpose_same_output_padding2x1", Conv2DTranspose, IMAGE, filters=3, kernel_size=(4, 3),
            strides=3, padding="same", output_padding=(2, 1)),
        one("conv2d_transpose_same_dilation2", Conv2DTranspose, IMAGE, filters=3, kernel_size=(3, 2),
            dilation_rate=2, padding="same"),
        one("conv2d_transpose_valid_dilation2", Conv2DTranspose, IMAGE, filters=3, kernel_size=2, dilation_rate=2),
        one("conv2d_transpose_no_bias_relu", Conv2DTranspose, IMAGE, filters=4, kernel_size=2, strides=2,
            use_bias=False, activation="relu"),
        one("conv2d_transpose_unknown_size", Conv2DTranspose, (None, None, 3), data_shapes=[(3, 5, 3)], filters=3,
            kernel_size=3, strides=2, padding="same"),
        one("conv1d_transpose_same_stride3", Conv1DTranspose, SEQUENCE, filters=4, kernel_size=4, strides=3,
            padding="same"),
        one("conv1d_transpose_valid_output_padding1", Conv1DTranspose, SEQUENCE, filters=4, kernel_size=3, strides=2,
            output_padding=1),
        one("conv3d_transpose_same_stride2", Conv3DTranspose, (2, 3, 2, 2), filters=3, kernel_size=3, strides=2,
            padding="same"),
        one("conv3d_transpose_valid_stride2x1x3", Conv3DTranspose, (2, 3, 2, 2), filters=2, kernel_size=(2, 3, 1),
            strides=(2, 1, 3)),
    ],
    "dense": [
        one("dense_2d", Dense, (6,), units=4),
        one("dense_3d", Dense, (5, 6), units=4),
        one("dense_4d", Dense, (3, 2, 6), units=4),
        one("spectral_normalization_dense", SpectralNormalization, (6,), layer=Dense(units=4, name="wrapped"),
            power_iterations=2),
        # Here the vector of the wrapper, which has the kernel's shape, comes before the bias.
        one("spectral_normalization_dense_frozen", SpectralNormalization, (1,),
            layer=Dense(units=4, name="wrapped"), trainable=False),
        one("dense_no_bias", Dense, (6,), units=4, use_bias=False),
        several("dense_fused_activations", activation_variants(Dense, ["relu", "softmax"], units=4), (6,)),
    ],
}
