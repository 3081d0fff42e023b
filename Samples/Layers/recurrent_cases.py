"""Cases of the recurrent layers, and of masks on their way to them."""

import tensorflow as tf
from keras import layers as kl
from keras import Sequential

from case import composed, one, padded, padded_indices

STEPS = (5, 3)
compat = tf.compat.v1.keras.layers


def cells(layer_class, **options):
    """The layer's forms side by side."""
    def compose(x):
        return [
            layer_class(4, **options)(x),
            layer_class(4, return_sequences=True, use_bias=False, **options)(x),
            layer_class(4, return_sequences=True, go_backwards=True, activation="relu", **options)(x),
            layer_class(4, go_backwards=True, activation="softmax", **options)(x),
            layer_class(4, unroll=True, stateful=False, dropout=0.5, **options)(x),
            *layer_class(4, return_sequences=True, return_state=True, **options)(x),
        ]
    return compose


def time_major(x):
    x = kl.Permute((2, 1))(kl.Dense(2)(x))  # [batch, 2, time], whose axes are taken the other way round
    return kl.LSTM(3, time_major=True, return_sequences=True)(x)


def with_states(layer_class, count, **options):
    """Layers whose states to begin with are inputs."""
    def compose(x, *states):
        return [
            layer_class(4, **options)(x, initial_state=list(states)),
            *layer_class(4, return_sequences=True, return_state=True, go_backwards=True,
                         **options)(x, initial_state=list(states)),
        ]
    return compose


def masked(layer_class, count, **options):
    """The layer's forms on masked steps."""
    def compose(x, *states):
        x = kl.Masking()(x)
        first = layer_class(4, return_sequences=True, **options)(x)
        return [
            first,
            layer_class(4, **options)(x),
            layer_class(4, **options)(first),
            layer_class(4, return_sequences=True, go_backwards=True, **options)(x),
            layer_class(4, return_sequences=True, zero_output_for_mask=True, **options)(x),
            layer_class(4, zero_output_for_mask=True, **options)(x),
            layer_class(4, return_sequences=True, unroll=True, **options)(x),
            *layer_class(4, return_sequences=True, return_state=True, **options)(x, initial_state=list(states)),
        ]
    return compose


def bidirectional(mask):
    """Both directions, merged in every way."""
    def compose(x):
        if mask:
            x = kl.Masking()(x)
        outputs = [
            kl.Bidirectional(kl.LSTM(4, return_sequences=True), merge_mode=mode)(x)
            for mode in ["concat", "sum", "mul", "ave"]
        ]
        outputs.append(kl.Bidirectional(kl.GRU(4))(x))
        outputs += kl.Bidirectional(kl.SimpleRNN(4, return_sequences=True), merge_mode=None)(x)
        outputs.append(kl.Bidirectional(kl.GRU(4, return_sequences=True, go_backwards=True))(x))
        outputs.append(kl.Bidirectional(
            kl.LSTM(4, return_sequences=True),
            backward_layer=kl.GRU(3, return_sequences=True, go_backwards=True))(x))
        outputs += kl.Bidirectional(kl.LSTM(4, return_state=True, return_sequences=True))(x)
        outputs.append(kl.LSTM(2)(outputs[0]))
        return outputs
    return compose


def bidirectional_states(x, *states):
    x = kl.Masking()(x)
    return [
        kl.Bidirectional(kl.LSTM(4, return_sequences=True))(x, initial_state=list(states)),
        *kl.Bidirectional(kl.LSTM(4, return_state=True), merge_mode="sum")(x, initial_state=list(states)),
        *kl.Bidirectional(kl.GRU(4, return_state=True), merge_mode=None)(x, initial_state=list(states[:2])),
    ]


def stacked(mask):
    """Stacked cells of all sorts."""
    def compose(x, h1, c1, h2):
        def cells():
            return kl.RNN([kl.LSTMCell(4), kl.GRUCell(3), kl.SimpleRNNCell(2)], **options)
        if mask:
            x = kl.Masking()(x)
        options = {}
        outputs = [cells()(x)]
        options = {"return_sequences": True, "go_backwards": True}
        outputs.append(cells()(x))
        options = {"return_state": True, "return_sequences": True, "zero_output_for_mask": True}
        outputs += cells()(x)
        outputs += kl.RNN([kl.LSTMCell(4), kl.GRUCell(3, reset_after=False)], return_state=True)(
            x, initial_state=[[h1, c1], h2])
        outputs.append(kl.RNN(kl.LSTMCell(4), go_backwards=True)(x))
        outputs.append(kl.Bidirectional(kl.RNN([kl.LSTMCell(4), kl.GRUCell(3)], return_sequences=True))(x))
        return outputs
    return compose


def conv_lstm_states(x, *states):
    return [
        *kl.ConvLSTM2D(2, (2, 3), padding="same", return_state=True)(x, initial_state=list(states)),
        kl.ConvLSTM2D(2, 3, padding="same", return_sequences=True, go_backwards=True, use_bias=False)(x),
        kl.Bidirectional(kl.ConvLSTM2D(2, 2, padding="same", return_sequences=True), merge_mode="ave")(x),
    ]


def conv_lstm_masked(x):
    """A model of one layer, because Reshape by itself refuses a mask inside TimeDistributed."""
    x = kl.TimeDistributed(Sequential([kl.Reshape((4, 3, 2))]))(kl.Masking()(x))
    return [
        kl.ConvLSTM2D(2, 2, return_sequences=True)(x),
        *kl.ConvLSTM2D(2, 2, go_backwards=True, return_state=True)(x),
        kl.Bidirectional(kl.ConvLSTM2D(2, 2, return_sequences=True))(x),
    ]


def distributed(x):
    """Recurrent layers over the steps of steps."""
    inner = Sequential([kl.Dense(4, activation="relu"), kl.LSTM(3)])
    return [
        kl.TimeDistributed(kl.LSTM(4))(x),
        kl.TimeDistributed(kl.Bidirectional(kl.GRU(2, return_sequences=True)))(x),
        kl.TimeDistributed(kl.TimeDistributed(kl.Dense(2)))(x),
        kl.TimeDistributed(inner)(x),
        kl.GRU(2)(kl.TimeDistributed(kl.Flatten())(x)),
    ]


def distributed_sentences(x):
    """Words, sentences and a text, each with its padding."""
    words = kl.TimeDistributed(kl.Embedding(7, 3, mask_zero=True))(x)
    sentences = kl.TimeDistributed(kl.LSTM(4))(words)
    other = kl.TimeDistributed(kl.GRU(3))(kl.Embedding(7, 2, mask_zero=True)(x))
    return [kl.GRU(3)(sentences), kl.LSTM(3, return_sequences=True)(other)]


def mask_through(x, y):
    """Masks through the layers that let them through, and some that do not."""
    a, b = kl.Masking()(x), kl.Masking(mask_value=0.0)(y)
    outputs = []
    for layers in [
        [kl.Dense(3, activation="tanh"), kl.Dropout(0.5), kl.Activation("relu")],
        [kl.BatchNormalization(), kl.LayerNormalization(), kl.LeakyReLU(), kl.GaussianNoise(0.5)],
        [kl.TimeDistributed(kl.Dense(3)), kl.SpatialDropout1D(0.5), kl.PReLU()],
        [kl.Conv1D(3, 3, padding="same")],
        [kl.Reshape((5, 3))],
    ]:
        value = a
        for layer in layers:
            value = layer(value)
        outputs.append(kl.LSTM(2)(value))
    outputs += [
        kl.LSTM(2)(merged) for merged in [
            kl.Add()([a, b]), kl.Maximum()([a, y]), kl.Concatenate()([a, b]), kl.Concatenate()([a, y]),
            kl.Concatenate(axis=1)([a, b]),
        ]
    ]
    inner = Sequential([kl.Dense(3), kl.LSTM(2, return_sequences=True)])
    outputs.append(kl.LSTM(2, return_sequences=True)(inner(a)))
    return outputs


def mask_uses(x):
    a = kl.Masking(mask_value=0.0)(x)
    return [
        kl.GlobalAveragePooling1D()(a),
        kl.GlobalAveragePooling1D(keepdims=True)(kl.Dropout(0.5)(a)),
        kl.GlobalMaxPooling1D()(a),
        kl.Flatten()(a),
    ]


def fused(lstm, gru):
    """The layers that only run on graphics cards, or those that Keras lets stand in for them."""
    def compose(x):
        return [
            gru(3, name="gru")(lstm(4, return_sequences=True, name="lstm")(x)),
            kl.Bidirectional(lstm(2), name="both")(x),
            lstm(2, go_backwards=True, name="backwards")(x),
        ]
    return compose


STATES = [(4,), (4,)]

CASES = {
    "simple_rnn": [
        composed("simple_rnn_forms", cells(kl.SimpleRNN), STEPS),
        composed("simple_rnn_states", with_states(kl.SimpleRNN, 1), STEPS, *STATES[:1]),
        composed("simple_rnn_masked", masked(kl.SimpleRNN, 1), STEPS, *STATES[:1], draw=padded),
    ],
    "lstm": [
        composed("lstm_forms", cells(kl.LSTM, recurrent_activation="hard_sigmoid"), STEPS),
        composed("lstm_cudnn", fused(compat.CuDNNLSTM, compat.CuDNNGRU), STEPS, stand_in=fused(kl.LSTM, kl.GRU)),
        composed("lstm_time_major", time_major, STEPS),
        composed("lstm_states", with_states(kl.LSTM, 2), STEPS, *STATES),
        composed("lstm_masked", masked(kl.LSTM, 2), STEPS, *STATES, draw=padded),
        composed("lstm_bidirectional", bidirectional(False), STEPS),
        composed("lstm_bidirectional_masked", bidirectional(True), STEPS, draw=padded),
        composed("lstm_bidirectional_states", bidirectional_states, STEPS, *STATES, *STATES, draw=padded),
        composed("lstm_stacked", stacked(False), STEPS, (4,), (4,), (3,)),
        composed("lstm_stacked_masked", stacked(True), STEPS, (4,), (4,), (3,), draw=padded),
        one("lstm_unknown_size", kl.LSTM, (None, 3), data_shapes=[(7, 3)], units=4, return_sequences=True),
    ],
    "gru": [
        composed("gru_forms", cells(kl.GRU), STEPS),
        composed("gru_forms_reset_before", cells(kl.GRU, reset_after=False), STEPS),
        composed("gru_states", with_states(kl.GRU, 1), STEPS, *STATES[:1]),
        composed("gru_masked", masked(kl.GRU, 1), STEPS, *STATES[:1], draw=padded),
        composed("gru_masked_nobias", masked(kl.GRU, 1, use_bias=False, reset_after=False), STEPS, *STATES[:1],
                 draw=padded),
    ],
    "conv_lstm": [
        one("conv_lstm1d_dilation2", kl.ConvLSTM1D, (3, 6, 2), filters=2, kernel_size=2, dilation_rate=2,
            return_sequences=True),
        one("conv_lstm2d_stride2x1", kl.ConvLSTM2D, (3, 5, 4, 2), filters=3, kernel_size=(2, 3), strides=(2, 1),
            go_backwards=True, recurrent_activation="sigmoid"),
        one("conv_lstm3d_same", kl.ConvLSTM3D, (2, 3, 2, 4, 2), filters=2, kernel_size=2, padding="same"),
        composed("conv_lstm2d_states", conv_lstm_states, (3, 4, 3, 2), (4, 3, 2), (4, 3, 2)),
        composed("conv_lstm2d_masked", conv_lstm_masked, (5, 24), draw=padded),
    ],
    "flatten_time": [
        composed("time_distributed_recurrent", distributed, (3, 4, 2)),
        composed("time_distributed_sentences", distributed_sentences, (5, 4), draw=padded_indices(7),
                 input_type="int32"),
    ],
    "masking": [
        composed("masking_through", mask_through, STEPS, STEPS, draw=padded),
        composed("masking_uses", mask_uses, STEPS, draw=padded),
    ],
}
