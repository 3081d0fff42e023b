"""Cases of Keras 3: indices from the end, bands and parts of tensors of open size, and integers in pooling and steps."""

from keras import layers, ops

from recording import Case, Input


def taken(x, whole, wide):
    """Elements by indices of which some count from the end, and what Keras before 3.3 takes them for."""
    return [ops.take(x, -1, axis=1), ops.take(x, [[0, -1], [-4, 2]], axis=2), ops.take(x, whole, axis=1),
            ops.take(x, wide, axis=2)]


def embedded(whole, small, natural, real):
    """Rows of tables by indices of which some count from the end."""
    tables = [layers.Embedding(3, 2)(each) for each in (whole, small, natural, real)]
    wrapped = layers.TimeDistributed(layers.Embedding(3, 2))(ops.expand_dims(whole, 1))
    masked = layers.Embedding(3, 4, mask_zero=True)(whole)
    return tables + [wrapped, layers.GlobalAveragePooling1D()(masked)]


def bands(x, sequence, flags):
    """Triangles of matrices of open size."""
    scores = ops.matmul(sequence, ops.transpose(sequence, (0, 2, 1)))
    return [f(each, k) for each in (x, scores, flags, x[0]) for f in (ops.tril, ops.triu) for k in (-2, 0, 3)]


def parts(x, n):
    """Equal parts of an axis of open size."""
    return [*ops.vsplit(x, 2), *ops.split(n, 3, axis=1), *ops.split(x, 1), *ops.vsplit(n, 2)]


def pooled_integers(*inputs):
    """Adaptive pooling of integers, the largest of which has their type."""
    lines = [each for each in inputs if len(each.shape) == 3]
    images = [each for each in inputs if len(each.shape) == 4]
    return ([layers.AdaptiveMaxPooling1D(size)(x) for size in (2, 3) for x in lines]
            + [layers.AdaptiveMaxPooling2D(size)(x) for size in ((2, 2), (3, 1)) for x in images]
            + [ops.adaptive_max_pool(x, (2,)) for x in lines])


def integers(types):
    """A line and an image of each type."""
    return [Input(shape, 0 if type == "uint8" else -90, 90, type) for type in types for shape in ((5, 3), (4, 5, 2))]


def augmented(x, n, small, flags):
    """Steps through layers that augment images in training only, with types of their own."""
    casting = [layers.RandomZoom, layers.RandomShear, layers.RandomGaussianBlur, layers.RandomErasing]
    keeping = [layers.RandomInvert, layers.RandomPosterization, layers.RandomColorDegeneration]
    settings = {layers.RandomZoom: (0.2,), layers.RandomShear: (0.2, 0.2), layers.RandomPosterization: (4,),
                layers.RandomColorDegeneration: (0.3,)}
    return [layers.TimeDistributed(kind(*settings.get(kind, ()), dtype=own))(each)
            for kind in casting + keeping for each in (x, n, small, flags) for own in ("float32", "float16", "float64")]


INDICES = [Input((4,), -3, 3, "int32"), Input((4,), -3, 3, "int8"), Input((4,), 0, 3, "uint8"), Input((4,), -2.9, 2.9)]
CASES_OF_VERSIONS = [
    Case("taken", [Input((3, 4)), INDICES[0], Input((2,), -4, 4, "int64")], taken),
]
CASES = CASES_OF_VERSIONS + [
    Case("embedded", INDICES, embedded),
    Case("bands", [Input((None, 4)), Input((None, 3)), Input((4, None), type="bool")], bands),
    Case("parts", [Input((3,)), Input((None, 2), -9, 9, "int32")], parts),
    Case("pooled_integers", integers(["uint8", "int8", "int16", "int32"]), pooled_integers),
    Case("augmented", [Input((3, 4, 4, 3), type=type) for type in ("float32", "int64", "uint8", "bool")], augmented),
    Case("pooled_wide_integers", integers(["int64"]), pooled_integers),
]
