"""Cases of the layers between numbers, indices and features."""

from keras.layers import CategoryEncoding, Discretization, Embedding

from case import indices, one

BOUNDARIES = [-1.0, 0.0, 0.3]

CASES = {
    "embedding": [
        one("embedding", Embedding, (6,), draw=indices(7), input_type="int32", input_dim=7, output_dim=4),
        one("embedding_float_indices", Embedding, (3, 2), draw=indices(5), input_dim=5, output_dim=2),
        one("embedding_unknown_length", Embedding, (None,), data_shapes=[(5,)], draw=indices(5), input_type="int32",
            input_dim=5, output_dim=3),
    ],
    "category_encoding": [
        one("category_encoding_one_hot", CategoryEncoding, (1,), draw=indices(5), input_type="int32", num_tokens=5,
            output_mode="one_hot"),
        one("category_encoding_multi_hot", CategoryEncoding, (6,), draw=indices(5), input_type="int32", num_tokens=6),
        one("category_encoding_count", CategoryEncoding, (9,), draw=indices(4), input_type="int64", num_tokens=4,
            output_mode="count"),
    ],
    "discretization": [
        one("discretization_int", Discretization, (4, 3), bin_boundaries=BOUNDARIES),
        one("discretization_int32", Discretization, (5,), bin_boundaries=BOUNDARIES, dtype="int32"),
        one("discretization_on_boundaries", Discretization, (9,), draw=indices(4), bin_boundaries=[0.0, 1.0, 2.0]),
        one("discretization_one_hot", Discretization, (1,), bin_boundaries=BOUNDARIES, output_mode="one_hot"),
        one("discretization_multi_hot", Discretization, (2,), bin_boundaries=BOUNDARIES, output_mode="multi_hot"),
        one("discretization_count", Discretization, (7,), bin_boundaries=BOUNDARIES, output_mode="count"),
    ],
}
