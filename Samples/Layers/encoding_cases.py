"""Cases of the layers between numbers, indices and features."""

from keras.layers import Embedding

from case import indices, one

BOUNDARIES = [-1.0, 0.0, 0.3]

CASES = {
    "embedding": [
        one("embedding", Embedding, (6,), draw=indices(7), input_type="int32", input_dim=7, output_dim=4),
        one("embedding_float_indices", Embedding, (3, 2), draw=indices(5), input_dim=5, output_dim=2),
        one("embedding_unknown_length", Embedding, (None,), data_shapes=[(5,)], draw=indices(5), input_type="int32",
            input_dim=5, output_dim=3),
    ],
}
