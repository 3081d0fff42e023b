"""What is drawn for an argument of a name: functions of what is Asked, and their table."""

from plans import slice_of, tuple_of


def one_of(*choices):
    return lambda asked: asked.one(*choices)


def number(*choices):
    """A number like those of the elements; of integers at times a fraction, or one that their type does not hold."""

    def strategy(asked):
        if "float" not in asked.kind and asked.rng.random() < 0.3:
            return asked.one(1, 2.7, 200, 300, -300)
        return asked.one(*choices)

    return strategy


def flag(asked):
    return asked.rng.random() < 0.5


def seldom(asked):
    return asked.rng.random() < 0.1


def activation(asked):
    return asked.rng.choice([None] + asked.drawer.activations())


def pads(asked):
    """Amounts before and after each axis: one number, one for each axis, or two for each."""
    style = asked.rng.random()
    if asked.spatial == 1:
        return asked.one(1, 2) if style < 0.5 else tuple_of([asked.one(0, 1), asked.one(0, 1, 2)])
    if style < 0.3:
        return asked.one(0, 1)
    if style < 0.6:
        return tuple_of(asked.one(0, 1, 2) for _ in range(asked.spatial))
    return tuple_of(tuple_of([asked.one(0, 1), asked.one(0, 1, 2)]) for _ in range(asked.spatial))


def padding(asked):
    if asked.owner.startswith("ZeroPadding"):
        return pads(asked)
    if "unfold" in asked.owner or "fold" in asked.owner:
        return asked.one(0, 1)
    choices = ["valid", "same"] + (["causal"] if "1D" in asked.owner else [])
    choice = asked.rng.choice(choices)
    return (
        choice.upper() if asked.owner.startswith(("nn.", "image.")) and asked.drawer.is_old else choice
    )


def new_shape(asked):
    """Another shape of as many numbers, without the batch axis for layers."""
    numbers = [axis or 2 for axis in asked.shape[1:]]
    count = 1
    for number in numbers:
        count *= number
    factors, rest = [], count
    while rest > 1 and len(factors) < 3:
        factor = asked.rng.choice([n for n in range(1, rest + 1) if rest % n == 0])
        factors.append(factor)
        rest //= factor
    factors.append(rest)
    if asked.rng.random() < 0.3:
        factors[asked.rng.randrange(len(factors))] = -1
    if asked.owner in ("Reshape",):
        return tuple_of(factors)
    return tuple_of([-1] + [abs(n) if n != -1 else rest for n in factors])


def permutation(asked):
    if asked.owner == "Permute":
        return tuple_of(asked.rng.sample(range(1, len(asked.shape)), len(asked.shape) - 1))
    return tuple_of(asked.rng.sample(range(len(asked.shape)), len(asked.shape)))


def any_axis(asked):
    return asked.axis()


def offset(asked):
    return asked.one(0, 0.5, -1.0) if asked.owner == "Rescaling" else asked.one(0, 1, -1)


def scale(asked):
    if asked.owner == "Rescaling":
        return asked.one(1 / 255, 2, [0.5])
    return flag(asked) if asked.default in (True, False) else asked.one(None, 0.5, 2.0)


def windows(*choices):
    return lambda asked: asked.windows(*choices)


def default(asked):
    return asked.default


def axis(asked):
    several = ("Softmax", "LayerNormalization", "UnitNormalization", "Normalization")
    if asked.default is None or asked.owner in several:
        return asked.some_axes()
    return asked.axis()


def axes(asked):
    if asked.owner == "Dot":
        return asked.one(-1, 1, 2, tuple_of([1, 1]), tuple_of([2, 2]), tuple_of([2, 1]))
    if asked.owner.endswith("tensordot"):
        return asked.one(1, 2)
    if asked.owner.endswith("transpose"):
        return permutation(asked)
    return tuple_of(sorted(asked.rng.sample(range(len(asked.shape)), min(2, len(asked.shape)))))


def numbers_like(asked, count: int, low=-1.0, high=1.0):
    return [round(asked.rng.uniform(low, high), 3) for _ in range(count)]


def vector(low, high):
    def strategy(asked):
        if asked.rng.random() < 0.4:
            return round(asked.rng.uniform(low, high), 3)
        return numbers_like(asked, asked.extent(), low, high)

    return strategy


def boundaries(asked):
    return sorted(numbers_like(asked, asked.one(1, 3, 5), -2, 2))


def equation(asked):
    letters = "abcdef"[1 : len(asked.shape)]
    if not letters:
        return "a,ab->ab"
    last = letters[-1]
    return asked.one(
        f"a{letters},{last}z->a{letters[:-1]}z",
        f"a{letters},{letters}z->az",
        f"...{last},{last}z->...z",
        f"a{letters},{last}yz->a{letters[:-1]}yz",
    )


def output_shape(asked):
    if asked.owner == "EinsumDense":
        return asked.one(4, tuple_of([None, 4]), tuple_of([3, 4]), tuple_of([2]))
    return asked.one(None, 3)


def index_like(asked):
    """A subscript of `[]`."""
    key = []
    for axis in asked.shape[: asked.rng.randrange(1, max(2, len(asked.shape) + 1))]:
        style = asked.rng.random()
        if style < 0.5:
            key.append(slice_of(None, None, None))
        elif style < 0.7:
            key.append(
                slice_of(asked.one(None, 0, 1, -2), asked.one(None, 2, -1), asked.one(None, 1, 2, -1))
            )
        elif style < 0.9 and axis:
            key.append(asked.rng.randrange(-axis, axis))
        else:
            key.append(asked.one(None, {"$": "ellipsis"}))
    if sum(part == {"$": "ellipsis"} for part in key) > 1:
        return {"$": "ellipsis"}
    return tuple_of(key) if len(key) > 1 or asked.rng.random() < 0.3 else key[0]


def kind_name(asked):
    return asked.rng.choice(asked.drawer.kinds())


def size(asked):
    if "UpSampling" in asked.owner:
        return asked.windows(1, 2, 3)
    return tuple_of([asked.one(2, 3, 5, 8), asked.one(2, 3, 5, 8)])


def interpolation(asked):
    return asked.one(
        "nearest",
        "bilinear",
        "bilinear",
        "bicubic",
        "area",
        "lanczos3",
        "lanczos5",
        "gaussian",
        "mitchellcubic",
    )


def split_count(asked):
    return asked.one(1, 2, 3, [1], [1, 2])


def layer_inside(asked):
    return asked.drawer.inner_layer(asked)


def cell(asked):
    return asked.drawer.cell(asked)


def initializer(asked):
    return asked.one("zeros", "ones", "he_normal", "glorot_uniform")


def mode(asked):
    if asked.owner == "RandomFlip":
        return asked.one("horizontal", "vertical", "horizontal_and_vertical")
    if asked.owner == "STFTSpectrogram":
        return asked.one("log", "magnitude", "psd", "real", "imag", "angle", "stft")
    return asked.one("constant", "CONSTANT", "reflect", "symmetric", "REFLECT", "SYMMETRIC", "edge")


def factor(asked):
    return asked.one(0.1, 0.3, tuple_of([0.1, 0.3]))


def height_factor(asked):
    return asked.one(1, 2) if asked.owner.startswith("backend.") else factor(asked)


def output_mode(asked):
    return asked.one("int", "one_hot", "multi_hot", "count")


def vocabulary(asked):
    if asked.owner == "IntegerLookup":
        return asked.rng.sample(range(1, 12), 4)
    return asked.rng.sample(["a", "b", "the", "cat"], 3)


def pad_widths(asked):
    return [[asked.one(0, 1), asked.one(0, 1, 2)] for _ in asked.shape]


def repeats(asked):
    return asked.one(1, 2, 3, [asked.one(1, 2) for _ in asked.shape])


def multiples(asked):
    return [1] + [asked.one(1, 2) for _ in asked.shape[1:]]


# fmt: off
STRATEGIES = {
    # Sizes.
    "units": one_of(1, 2, 3, 5), "filters": one_of(1, 2, 3, 4), "output_dim": one_of(1, 3, 4),
    "input_dim": one_of(7, 9), "n": one_of(1, 2, 3), "num_heads": one_of(1, 2),
    "key_dim": one_of(1, 2, 3), "value_dim": one_of(None, 2), "head_dim": one_of(2, 3),
    "num_query_heads": one_of(2, 4), "num_key_value_heads": one_of(1, 2),
    "depth_multiplier": one_of(1, 2), "groups": one_of(1, 2, 3, -1), "height": one_of(2, 3, 5, 8),
    "width": one_of(2, 3, 5, 8), "num_tokens": one_of(6, 8), "num_classes": one_of(5, 6),
    "num_bins": one_of(3, 4), "k": one_of(0, 1, 2, -1), "num": one_of(2, 3), "depth": one_of(4, 5),
    "output_size": windows(1, 2, 3), "block_size": one_of(1, 2), "max_tokens": one_of(None, 8),
    "num_segments": one_of(5, 6),
    # Windows.
    "kernel_size": windows(1, 2, 3), "strides": windows(1, 1, 2, 3), "pool_size": windows(1, 2, 3),
    "dilation_rate": windows(1, 1, 2), "output_padding": windows(0, 1), "cropping": pads, "size": size,
    "padding": padding,
    "data_format": one_of("channels_last", "channels_last", "channels_last", "channels_first"),
    "ksize": windows(1, 2, 3), "dilation": one_of(1, 2), "stride": one_of(1, 2),
    # Layers inside.
    "layer": layer_inside, "cell": cell, "backward_layer": lambda asked: None,
    "cells": lambda asked: [cell(asked), cell(asked)],
    # Functions and their settings.
    "activation": activation, "recurrent_activation": activation, "alpha": one_of(0.1, 0.3, 1.0, 1.5, 0),
    "negative_slope": number(0, 0.1, 0.3, 1.5), "max_value": number(None, 1.0, 6.0),
    "theta": number(0.5, 1.0), "threshold": number(0, 0.3, 1.0, -0.5),
    "epsilon": one_of(1e-3, 1e-5, 0.1), "momentum": one_of(0.9, 0.5), "approximate": flag,
    "default_value": number(0.0, -1.0), "ord": one_of(None, 1, 2), "order": one_of(1, 2, 3),
    "x_min": number(-0.5, 0, 1), "x_max": number(0.5, 2), "clip_value_min": number(-0.5, 0),
    "beta": one_of(1.0, 0.5), "clip_value_max": number(0.5, 2.0), "min_value": number(-0.5, 0),
    "fill_value": number(0, 0.5, -1), "nan": one_of(0.0, 1.0), "posinf": one_of(None, 9.0),
    "neginf": one_of(None, -9.0), "decimals": one_of(0, 1, 2), "initial": one_of(None, 0.5),
    "correction": one_of(0, 1), "q": one_of(0.25, 0.5, [0.1, 0.9], 50), "minimum": one_of(0.0, -0.5),
    "maximum": one_of(0.5, 1.0), "b": None, "period": one_of(2.0), "axis": axis, "axes": axes,
    "dims": permutation, "perm": permutation, "pattern": permutation, "target_shape": new_shape,
    "newshape": new_shape, "shape": new_shape, "shared_axes": lambda asked: asked.one(None, [1], [1, 2]),
    "axis1": any_axis, "axis2": any_axis, "source": any_axis, "destination": any_axis, "keepdims": flag,
    "equation": equation, "output_shape": output_shape, "bias_axes": one_of(None, "z"),
    "shift": one_of(1, -1, 2), "offset": offset, "scale": scale, "repeats": repeats,
    "multiples": multiples, "pad_width": pad_widths, "paddings": pad_widths,
    "indices_or_sections": split_count, "num_or_size_splits": split_count, "key": index_like,
    "constant_values": number(0, 1.5), "mode": mode, "ndim": one_of(1, 2),
    "permute_pattern": permutation,
    # Embedding, attention, recurrence.
    "mask_zero": flag, "mask_value": number(0.0, 0.0, 0.5), "score_mode": one_of("dot", "concat"),
    "attention_axes": lambda asked: asked.one(None, None, 1),
    "merge_mode": one_of("concat", "sum", "mul", "ave", None), "implementation": one_of(1, 2),
    "time_major": seldom, "stateful": seldom, "unroll": seldom, "dropout": one_of(0.0, 0.3),
    "recurrent_dropout": one_of(0.0, 0.3), "rate": one_of(0.1, 0.5), "stddev": one_of(0.1),
    "noise_shape": one_of(None), "sliding_window": one_of(None, 2), "logit_soft_cap": one_of(None, 2.0),
    "use_cudnn": one_of("auto", False), "flash_attention": one_of(None, False),
    "input_length": lambda asked: asked.one(None, asked.extent(1)), "zero_output_for_mask": flag,
    # Preprocessing.
    "mean": vector(-1, 1), "variance": vector(0.5, 2), "bin_boundaries": boundaries,
    "output_mode": output_mode, "vocabulary": vocabulary, "idf_weights": lambda asked: None,
    "mask_token": one_of(None, 0), "oov_token": one_of(-1), "num_oov_indices": one_of(0, 1, 2),
    "vocabulary_dtype": one_of("int64"), "salt": one_of(None, 5), "interpolation": interpolation,
    "method": interpolation, "fill_mode": one_of("constant", "reflect", "nearest"), "factor": factor,
    "height_factor": height_factor, "width_factor": height_factor,
    "value_range": lambda asked: tuple_of([0, 255]), "x_factor": factor, "y_factor": factor,
    "brightness_factor": factor, "contrast_factor": one_of(0.5, 1.5), "hue_factor": factor,
    "saturation_factor": factor, "addition_factor": factor, "threshold_factor": factor,
    "antialias": flag, "center": flag, "delta": one_of(0.1, 0.3), "target_height": one_of(3, 6),
    "target_width": one_of(3, 6), "crop_size": lambda asked: tuple_of([2, 2]), "standardize": default,
    "split": default, "fft_length": one_of(4, 8), "sequence_stride": one_of(1, 2),
    "sequence_length": one_of(2, 4), "frame_length": one_of(4), "frame_step": one_of(2),
    "num_mel_bins": one_of(4), "sampling_rate": one_of(16), "scaling": one_of("density", "spectrum"),
    "window": one_of("hann", "hamming"), "sparse": one_of(False), "seed": one_of(None, 7),
    "trainable": lambda asked: asked.rng.random() < 0.7, "dtype": kind_name, "output_type": kind_name,
    "lora_rank": one_of(None, 1), "lora_alpha": one_of(None, 2), "max_number": one_of(2),
    "encoding": one_of("utf-8"), "ngrams": one_of(None, 2), "output_sequence_length": one_of(None, 3),
    "reverse_dtype": one_of(None, "float32"), "oov_method": one_of(None), "max_freq": one_of(None, 7.0),
    "fused": one_of(None, True, False), "adjustment": one_of(None), "virtual_batch_size": one_of(None),
    "separator": one_of("_"), "bins": boundaries, "max_values": one_of(None), "rep": one_of(2, 3),
    "dilations": one_of(1, 2), "init": one_of("glorot_uniform"), "level": one_of(0.3),
    "type": one_of("float32"), "exclusive": flag, "reverse": flag, "num_lower": one_of(-1, 0, 1),
    "num_upper": one_of(-1, 0, 1), "pooling_type": one_of("MAX", "AVG"),
    "window_shape": one_of([2], [2, 2]), "direction": one_of("ASCENDING", "DESCENDING"),
    "depth_radius": one_of(1, 2), "height_scale": one_of(2), "depth_factor": one_of(2),
    "clip_norm": one_of(1.0), "batch_dims": one_of(0, 1), "hidden_dim": one_of(3),
    "tile_grid_size": lambda asked: tuple_of([2, 2]),
    "start_indices": lambda asked: [0 for _ in asked.shape],
    # What only changes training, or how a model is made.
    "name": default, "dynamic": default, "weights": default, "quantization_config": default,
    "ragged": one_of(False), "synchronized": seldom, "gptq_unpacked_column_size": default,
    "renorm_clipping": default, "axes_lengths": None, "kwargs": None, "args": None,
}
# fmt: on
PATTERNS = [
    (r".*_initializer$", initializer),
    (r".*_regularizer$", one_of(None, "l2")),
    (r".*_constraint$", one_of(None, "non_neg")),
    (r"l[12]$", one_of(0.01)),
]
