"""Models inside models of which some layers are frozen, for the Keras of every version: an .h5 file lists their weights
in an order that depends on what is frozen."""


def frozen_cases(keras):
    """The outputs for a vector and a sequence."""
    layers = keras.layers

    def frozen(model, *trained):
        model.trainable = False
        for index in trained:
            model.layers[index].trainable = True
        return model

    def chain(name, size, *parts):
        inputs = value = keras.Input(size)
        for part in parts:
            value = part(value)
        return keras.Model(inputs, value, name=name)

    def dense():
        return layers.Dense(4)

    def nested_frozen(x, steps):
        """Two and three levels, with one layer trained in each."""
        inner = frozen(chain("inner", (4,), dense(), dense(), layers.BatchNormalization(), dense()), 2)
        middle = frozen(chain("middle", (4,), dense(), inner, layers.BatchNormalization(), dense()), 1)
        middle.layers[2].layers[1].trainable = True
        outer = chain("outer", (4,), dense(), middle, dense())
        head = keras.Sequential([keras.Input((4,)), frozen(chain("base", (4,), dense(), dense(), dense()), 2), dense()],
                                name="head")
        return [outer(x), layers.TimeDistributed(chain("around", (4,), head, dense()))(steps)]

    def frozen_parts(x, steps):
        """Directions and cells that are frozen after they were made."""
        both = layers.Bidirectional(layers.LSTM(2, return_sequences=True))
        cells = [layers.LSTMCell(4), layers.LSTMCell(4)]
        stack = layers.RNN(cells, return_sequences=True)
        alone = layers.Bidirectional(layers.GRU(2, return_sequences=True))
        model = chain("parts", (3, 4), both, stack, dense())
        outputs = [dense()(x), model(steps), alone(steps)]
        both.forward_layer.trainable = False
        cells[0].trainable = False
        alone.forward_layer.trainable = False
        return outputs

    def frozen_sequences(x, steps):
        """Sequential models in three levels, for each step too, and one that is called twice."""

        def sequence(name, size, *parts):
            return keras.Sequential([keras.Input(size), *parts], name=name)

        deepest = frozen(sequence("deepest", (4,), dense(), dense(), dense()), 1)
        three = sequence("three", (4,), sequence("two", (4,), deepest, dense()), dense())
        features = frozen(chain("features", (4,), dense(), layers.BatchNormalization(), dense()), 3)
        classifier = sequence("classifier", (4,), features, dense())
        alone = frozen(chain("alone", (4,), dense(), layers.BatchNormalization(), dense()), 3)
        shared = chain("shared", (4,), frozen(chain("inside", (4,), dense(), dense(), dense()), 2), dense())
        difference = layers.Subtract()([shared(x), shared(dense()(x))])
        return [dense()(three(x)), layers.TimeDistributed(classifier)(steps), layers.TimeDistributed(alone)(steps), difference]

    return {"nested_frozen": nested_frozen, "frozen_parts": frozen_parts, "frozen_sequences": frozen_sequences}
