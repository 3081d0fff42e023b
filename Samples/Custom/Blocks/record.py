"""Records models with layers of layers, as the Keras that runs this writes them.

    <environment with keras==2.15.0>/bin/python record.py
    <environment with keras==3.15>/bin/python record.py

The classes are written anew here, with the names, the settings, the attributes' names, the weights and the formula of
those of keras.io's examples, of AutoKeras and of tensorflow-model-optimization. Each case is the model
(<version>/<case>.h5 or .keras), its input and what Keras makes of it.
"""

import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), keras.__version__)


class Settings(layers.Layer):
    """A layer that keeps what it is made with as its settings."""

    def __init__(self, name=None, trainable=True, dtype=None, **settings):
        super().__init__(name=name, trainable=trainable, dtype=dtype)
        self.settings = settings
        self.make(**settings)

    def get_config(self):
        return {**super().get_config(), **self.settings}


class TransformerBlock(Settings):
    def make(self, embed_dim, num_heads, ff_dim, rate=0.1):
        self.att = self.attention(embed_dim, num_heads)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
        self.dropout1 = layers.Dropout(rate)
        self.dropout2 = layers.Dropout(rate)

    def attention(self, embed_dim, num_heads):
        return layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)

    def attend(self, x):
        return self.att(x, x)

    def call(self, x):
        y = self.layernorm1(x + self.dropout1(self.attend(x)))
        return self.layernorm2(y + self.dropout2(self.ffn(y)))


class MultiHeadSelfAttention(layers.Layer):
    """The attention of the example's first version."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query_dense = layers.Dense(width)
        self.key_dense = layers.Dense(width)
        self.value_dense = layers.Dense(width)
        self.combine_heads = layers.Dense(width)

    def split(self, x):
        shape = tf.shape(x)
        return tf.transpose(tf.reshape(x, (shape[0], shape[1], self.heads, x.shape[2] // self.heads)), (0, 2, 1, 3))

    def call(self, x):
        query, key, value = (self.split(dense(x)) for dense in (self.query_dense, self.key_dense, self.value_dense))
        scores = tf.matmul(query, key, transpose_b=True) / float(query.shape[-1]) ** 0.5
        made = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), (0, 2, 1, 3))
        return self.combine_heads(tf.reshape(made, tf.shape(x)))


def first_version():
    """The block whose attention is a class of its own; its name is that of the later one."""

    class TransformerBlock(globals()["TransformerBlock"]):
        def attention(self, embed_dim, num_heads):
            return MultiHeadSelfAttention(embed_dim, num_heads)

        def attend(self, x):
            return self.att(x)

    return TransformerBlock


def bare(block):
    """A block as those write it whose code has no settings."""

    class TransformerBlock(block):
        def get_config(self):
            return layers.Layer.get_config(self)

    return TransformerBlock


class TokenAndPositionEmbedding(Settings):
    def make(self, maxlen, vocab_size, embed_dim):
        self.token_emb = layers.Embedding(vocab_size, embed_dim)
        self.pos_emb = layers.Embedding(maxlen, embed_dim)

    def call(self, x):
        return self.token_emb(x) + self.pos_emb(tf.range(tf.shape(x)[-1]))


class CastToFloat32(layers.Layer):
    def call(self, x):
        return tf.cast(x, tf.float32)


class Mixer(Settings):
    """A layer of layers that nobody knows."""

    def make(self, units):
        self.scorer = layers.Dense(units, activation="tanh")
        self.body = keras.Sequential([layers.Dense(units), layers.LSTM(units, return_sequences=True)])
        self.bias = self.add_weight(name="bias", shape=(units,))

    def call(self, x):
        return self.scorer(x) * self.body(x) + self.bias


class QuantizeAnnotate(layers.Wrapper):
    """The wrapper of tensorflow-model-optimization: it computes what it wraps."""

    def call(self, x):
        return self.layer(x)

    def get_config(self):
        return {**super().get_config(), "quantize_config": None}


def transformer(block=TransformerBlock, length=5):
    x = layers.Input((length,), name="in0")
    y = TokenAndPositionEmbedding(maxlen=7, vocab_size=11, embed_dim=4, name="embedding")(x)
    y = block(embed_dim=4, num_heads=2, ff_dim=6, rate=0.1, name="block")(y)
    return keras.Model(x, layers.Dense(2, name="out0")(layers.GlobalAveragePooling1D()(y)))


def mixer():
    x = layers.Input((3, 4), name="in0")
    return keras.Model(x, layers.Dense(2, name="out0")(Mixer(units=4, name="mixer")(x)))


def wrapped():
    x = layers.Input((3, 4), name="in0")
    y = CastToFloat32(name="cast")(x)
    y = QuantizeAnnotate(layers.Dense(5, activation="relu"), name="annotated")(y)
    return keras.Model(x, layers.Dense(2, name="out0")(y))


def main():
    os.makedirs(FOLDER, exist_ok=True)
    cases = {"transformer": transformer, "mixer": mixer, "wrapped": wrapped}
    if keras.__version__.startswith("2"):
        cases["first_version"] = lambda: transformer(first_version())
        cases["bare"] = lambda: transformer(bare(TransformerBlock))
        cases["bare_first_version"] = lambda: transformer(bare(first_version()))
    for name, make in cases.items():
        keras.backend.clear_session()
        rng = np.random.RandomState(len(name))
        model = make()
        model.set_weights([rng.uniform(-0.8, 0.8, weight.shape) for weight in model.get_weights()])
        shape = (2,) + tuple(model.input_shape[1:])
        given = rng.randint(0, 11, shape) if len(shape) == 2 else rng.uniform(-2, 2, shape)
        given = given.astype("float32")
        made = np.asarray(model(given))
        for container in ["h5", "keras"]:
            options = {"include_optimizer": False} if container == "h5" else {}
            model.save(os.path.join(FOLDER, "%s.%s" % (name, container)), **options)
        np.savez(os.path.join(FOLDER, name + ".inputs.npz"), in0=given)
        np.savez(os.path.join(FOLDER, name + ".outputs.npz"), out0=made)


if __name__ == "__main__":
    main()
