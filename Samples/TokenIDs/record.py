"""Records models that split texts and look them up, the token ids of some texts, and what the models make of the texts.

    <python with keras> record.py

Writes, into a folder beside this script called like the version, <case>.keras or <case>.h5, <case>.ids.npz (for each
input what the layer that looks up gives, or the numbers of another input) and <case>.results.npz.
"""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
TEXTS = ["the cat sat on the mat", "a dog ran on the grass", "the dog sat"]
ASKED = ["The dog, the cat!", "a bird sat on the mat of the neighbour"]
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), keras.__version__)
rng = np.random.RandomState(3)


def words(mode, length=None, **more):
    layer = L.TextVectorization(
        max_tokens=20, output_mode=mode, output_sequence_length=length, name="words", **more)
    layer.adapt(TEXTS)
    return layer


def save(name, endings, case):
    model, texts, ids = case
    for weight in model.trainable_weights:
        weight.assign(rng.normal(0, 0.6, weight.shape))
    for ending in endings:
        model.save(os.path.join(FOLDER, "%s.%s" % (name, ending)))
    outputs = model(texts)
    np.savez(os.path.join(FOLDER, name + ".ids.npz"), **ids)
    np.savez(os.path.join(FOLDER, name + ".results.npz"), out=np.asarray(outputs))


def sequences(mask_zero, length):
    """Token ids of a certain or of any number, into an embedding."""
    text = keras.Input((1,), dtype="string", name="text")
    layer = words("int", length)
    x = L.Embedding(20, 4, mask_zero=mask_zero, name="embedded")(layer(text))
    x = L.LSTM(3, name="read")(x) if mask_zero else L.GlobalAveragePooling1D(name="mean")(x)
    model = keras.Model(text, L.Dense(2, name="answer")(x))
    asked = tf.constant([[t] for t in ASKED])
    return model, asked, {"text": np.asarray(layer(asked))}


def encoded(mode, **more):
    """A Sequential whose layer gives counts or the like; its ids are those of a layer of the mode int, less 1, and -1
    where a text has no more of them."""
    layer = words(mode, **more)
    model = keras.Sequential([keras.Input((1,), dtype="string", name="text"), layer, L.Dense(2, name="answer")])
    asked = tf.constant([[t] for t in ASKED])
    return model, asked, {"text": np.asarray(words("int")(asked)) - 1}


def colours(mode, **more):
    layer = L.StringLookup(vocabulary=["red", "green", "blue"], output_mode=mode, name="colour", **more)
    indices = L.StringLookup(vocabulary=["red", "green", "blue"])
    name, size = keras.Input((1,), dtype="string", name="name"), keras.Input((3,), name="size")
    x = layer(name)
    if mode == "int":
        x = L.Flatten(name="flat")(L.Embedding(4, 3, name="embedded")(x))
    x = L.Dense(2, name="answer")(L.Concatenate(name="both")([x, size]))
    asked, sizes = tf.constant([["blue"], ["mauve"]]), rng.normal(0, 1, (2, 3)).astype("float32")
    return keras.Model([name, size], x), [asked, tf.constant(sizes)], {
        "name": np.asarray(indices(asked)), "size": sizes}


os.path.isdir(FOLDER) or os.makedirs(FOLDER)
h5 = ["h5"] if keras.__version__.startswith("3") else []  # Keras 2 cannot
save("sequence", ["keras"] + h5, sequences(False, 6))
save("masked", ["keras"], sequences(True, None))
save("multi_hot", ["keras"], encoded("multi_hot"))
save("count_padded", ["keras"], encoded("count", pad_to_max_tokens=True))
save("colours", ["keras", "h5"], colours("int"))
save("colours_one_hot", ["keras", "h5"], colours("one_hot"))
save("tf_idf", ["keras"], encoded("tf_idf"))
save("colours_tf_idf", ["keras", "h5"], colours("tf_idf", idf_weights=[0.5, 1.25, 2.0]))
print(keras.__version__, sorted(os.listdir(FOLDER)))
