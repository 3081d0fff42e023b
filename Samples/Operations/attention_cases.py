"""Cases of attention and of products along any axes, for both Keras 2 and Keras 3."""

import keras
from keras import layers

from recording import Case, Input

IS_KERAS3 = keras.__version__.startswith("3")


def attention(query, value, key, query_mask, value_mask):
    """Attention of one head: scores, masks, causal."""
    return [
        layers.Attention()([query, value, key]),
        layers.Attention(use_scale=True)([query, value, key], mask=[query_mask, value_mask]),
        layers.Attention()([query, value, key], mask=[None, value_mask]),
        layers.Attention(dropout=0.3)([query, value, key], use_causal_mask=True),
        *layers.Attention(score_mode="concat", use_scale=True)(
            [query, value, key], mask=[query_mask, value_mask], use_causal_mask=True, return_attention_scores=True),
        *layers.AdditiveAttention()([query, key], mask=[query_mask, value_mask], return_attention_scores=True),
        layers.AdditiveAttention(use_scale=False)([query, value, key], use_causal_mask=True),
    ]


def heads(query, value, key, mask, heads_mask, weak_mask):
    """Attention of several heads: cross attention, masks given in the call, causal."""
    attend = layers.MultiHeadAttention
    shared = attend(2, 3)
    return [
        attend(2, 3)(query, query),
        attend(2, 3, use_bias=False)(query, value),
        attend(3, 2, value_dim=5, output_shape=7)(query, value, key=key),
        *attend(2, 3)(query, value, attention_mask=mask, return_attention_scores=True),
        attend(3, 2)(query, value, attention_mask=heads_mask),
        attend(2, 2, dropout=0.2)(query, value, attention_mask=weak_mask, use_causal_mask=True),
        attend(2, 2)(query, value, use_causal_mask=True),
        shared(query, query),
        shared(query, query, use_causal_mask=True),
    ]


def heads_along_axes(images, others):
    """Attention along some of several axes."""
    attend = layers.MultiHeadAttention
    return [
        attend(2, 3)(images, images),
        attend(2, 3, attention_axes=(1, 2))(images, others),
        *attend(2, 3, attention_axes=(2,), output_shape=(3, 2))(images, others, return_attention_scores=True),
    ]


def open_length(query):
    """A length that the model leaves open."""
    return [
        layers.MultiHeadAttention(2, 3)(query, query, use_causal_mask=True),
        layers.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de")(query),
    ]


def blind_queries(query, value, mask):
    """Queries that see nothing: no element of the mask holds."""
    attend = layers.MultiHeadAttention
    return [
        attend(2, 3)(query, value, attention_mask=mask),
        *attend(2, 3)(query, value, attention_mask=mask, return_attention_scores=True),
        attend(2, 3, dropout=0.5)(query, value, attention_mask=mask),
    ]


def einsum(x, y):
    """Products along any axes."""
    dense = layers.EinsumDense
    return [
        dense("abc,cd->abd", output_shape=(None, 7), bias_axes="d", activation="tanh")(x),
        dense("...x,xy->...y", output_shape=7, bias_axes="y")(y),
        dense("ab...,bc->ac...", output_shape=7, bias_axes="c")(y),
        dense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de")(x),
        dense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="d")(x),
        dense("abc,bdc->adb", output_shape=(3, 4), bias_axes="b")(x),
        dense("aBc,cdB->ad", output_shape=3)(x),
        dense("abc,cd->ad", output_shape=3)(x),
        dense("...bc,cd->...bd", output_shape=(4, 3))(x),
    ]


def heads_of_keras3(query, value, mask):
    """What only Keras 3 has."""
    attend, grouped = layers.MultiHeadAttention, layers.GroupQueryAttention
    return [
        attend(2, 3, use_gate=True, value_dim=5)(query, value),
        attend(2, 3, sliding_window=2)(query, query),
        attend(2, 3, sliding_window=3)(query, query, use_causal_mask=True),
        attend(2, 3, attention_axes=-2)(query, value),
        grouped(3, 6, 2)(query, value),
        *grouped(3, 4, 2, use_gate=True, use_bias=False)(query, query, use_causal_mask=True,
                                                         return_attention_scores=True),
        grouped(3, 4, 1, dropout=0.2, sliding_window=4)(query, value, attention_mask=mask),
    ]


SEQUENCE = Input((5, 4))
CASES = [
    Case("attention", [SEQUENCE, Input((7, 6)), Input((7, 4)), Input((5,), type="bool"), Input((7,), type="bool")],
         attention),
    Case("attention_heads", [SEQUENCE, Input((7, 6)), Input((7, 3)), Input((5, 7), type="bool"),
                             Input((3, 5, 7), type="bool"), Input((1, 7), 0, 2, "int32")], heads),
    Case("attention_heads_along_axes", [Input((3, 4, 5)), Input((3, 4, 6))], heads_along_axes),
    Case("attention_open_length", [Input((None, 4))], open_length),
    Case("attention_blind_queries", [SEQUENCE, Input((7, 4)), Input((5, 7), 0, 1, "int32")], blind_queries),
    Case("einsum", [Input((4, 5)), Input((5, 3, 4))], einsum),
] + ([Case("attention_heads_of_keras3", [SEQUENCE, Input((7, 4)), Input((5, 7), type="bool")], heads_of_keras3)]
     if IS_KERAS3 else [])
