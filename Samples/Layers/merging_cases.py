"""Cases of the layers that combine several inputs."""

from keras.layers import (Add, AdditiveAttention, Attention, Average, Concatenate, Dot, Maximum, Minimum, Multiply,
                          Subtract)

from case import one

IMAGE = (4, 5, 3)
PER_CHANNEL = (1, 1, 3)


def arithmetic_cases(kind, layer_class):
    """Two equal shapes, and one input that is repeated along the axes where its extent is 1."""
    return [
        one(f"{kind}_two", layer_class, IMAGE, IMAGE),
        one(f"{kind}_broadcast", layer_class, IMAGE, PER_CHANNEL),
        one(f"{kind}_broadcast_both", layer_class, (1, 5, 3), (4, 1, 3)),
    ]


def associative_cases(kind, layer_class):
    """The arithmetic cases, three inputs, and an input of lower rank.

    Keras aligns inputs of different rank at the channel axis: a vector meets the last axis of an image.
    """
    return arithmetic_cases(kind, layer_class) + [
        one(f"{kind}_three", layer_class, IMAGE, IMAGE, IMAGE),
        one(f"{kind}_broadcast_three", layer_class, PER_CHANNEL, IMAGE, (4, 1, 1)),
        one(f"{kind}_broadcast_rank", layer_class, (3,), IMAGE),
    ]


CASES = {
    "add": associative_cases("add", Add),
    "multiply": associative_cases("multiply", Multiply),
    "average": associative_cases("average", Average),
    "maximum": associative_cases("maximum", Maximum),
    "minimum": associative_cases("minimum", Minimum),
    "subtract": arithmetic_cases("subtract", Subtract),
    "concatenate": [
        one("concatenate_default", Concatenate, (4, 5, 3), (4, 5, 2)),
        one("concatenate_axis1", Concatenate, (2, 5, 3), (4, 5, 3), axis=1),
        one("concatenate_axis2", Concatenate, (4, 2, 3), (4, 3, 3), axis=2),
        one("concatenate_axis-2", Concatenate, (4, 2, 3), (4, 3, 3), axis=-2),
        one("concatenate_three", Concatenate, (4, 5, 3), (4, 5, 1), (4, 5, 2)),
        one("concatenate_vectors", Concatenate, (3,), (4,)),
    ],
    "dot": [
        one("dot_vectors", Dot, (5,), (5,), axes=1),
        one("dot_vectors_normalized", Dot, (5,), (5,), axes=-1, normalize=True),
        one("dot_matrices_axes2_1", Dot, (3, 4), (4, 5), axes=(2, 1)),
        one("dot_matrices_axis1_normalized", Dot, (4, 3), (4, 2), axes=1, normalize=True),
        one("dot_vector_and_matrix", Dot, (4,), (3, 4), axes=(1, -1)),
        one("dot_matrix_and_vector", Dot, (4, 3), (4,), axes=1),
        one("dot_image_and_matrix", Dot, (2, 4, 3), (5, 4), axes=(2, 2)),
    ],
    "attention": [
        one("attention_dot", Attention, (4, 3), (5, 3)),
        one("attention_dot_scale_key", Attention, (4, 3), (5, 6), (5, 3), use_scale=True),
        one("attention_concat", Attention, (4, 3), (5, 3), score_mode="concat"),
        one("attention_concat_scale", Attention, (4, 3), (5, 3), score_mode="concat", use_scale=True, dropout=0.25),
        one("attention_unknown_length", Attention, (None, 3), (None, 3), data_shapes=[(4, 3), (6, 3)]),
    ],
    "additive_attention": [
        one("additive_attention_default", AdditiveAttention, (4, 3), (5, 3)),
        one("additive_attention_no_scale_key", AdditiveAttention, (4, 3), (5, 6), (5, 3), use_scale=False),
    ],
}
