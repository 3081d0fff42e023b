"""Makes the Core ML files of this folder with coremltools 9, and README.md.

Core ML itself runs on Apple's systems only. The networks with recorded outputs do nothing but move
numbers or scale them, so NumPy computes the outputs from what Apple's specification says of the layers.

    pip install coremltools==9.0 numpy
    python record.py
"""

import json
import pathlib
import shutil
import tempfile
import uuid

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder, SgdParams
from coremltools.models.pipeline import PipelineClassifier
from coremltools.models.utils import MultiFunctionDescriptor, save_multifunction
from coremltools.proto import FeatureTypes_pb2, Model_pb2

HERE = pathlib.Path(__file__).parent
RNG = np.random.default_rng(19)


def numbers(*shape):
    return RNG.integers(-8, 9, shape).astype(np.float32)


def features(**shapes):
    return [(name, datatypes.Array(*shape) if shape else None) for name, shape in shapes.items()]


def settled(spec):
    """The file's bytes without the day of the conversion, and with maps in order."""
    spec.description.metadata.userDefined.pop("com.github.apple.coremltools.conversion_date", None)
    return spec.SerializeToString(deterministic=True)


def save(name, spec, inputs=None, outputs=None):
    (HERE / f"{name}.mlmodel").write_bytes(settled(spec))
    if inputs:
        np.savez(HERE / f"{name}.inputs.npz", **inputs)
        np.savez(HERE / f"{name}.outputs.npz", **outputs)


def describe(spec, text):
    spec.description.metadata.shortDescription = text
    spec.description.metadata.author = "A. Author"
    spec.description.metadata.license = "MIT"
    spec.description.metadata.versionString = "1.2"


def reshaped_pictures():
    """`reshape`, whose target is C, H, W or S, C, H, W."""
    builder = NeuralNetworkBuilder(
        features(x=(4, 3, 2)), features(channels=(6, 2, 2), height=(2, 3, 4), last=(3, 4, 2), sequence=(1, 2, 3, 4)))
    builder.add_reshape("to_channels", "x", "channels", (-1, 2, 2), 0)
    builder.add_reshape("to_height", "x", "height", (2, -1, 4), 0)
    builder.add_reshape("to_last", "x", "last", (3, -1, 2), 1)
    builder.add_reshape("to_sequence", "x", "sequence", (-1, 2, 3, 4), 0)
    x = numbers(4, 3, 2)
    # Mode 1 counts the elements with the channels last, in the input and in the target.
    last = x.transpose(1, 2, 0).reshape(4, 2, 3).transpose(2, 0, 1)
    save("reshaped_pictures", builder.spec, {"x": x}, {
        "channels": x.reshape(-1, 2, 2), "height": x.reshape(2, -1, 4), "last": last,
        "sequence": x.reshape(-1, 2, 3, 4)})


def reshaped_arrays():
    """The reshape layers of arrays with exactly the axes that they have."""
    builder = NeuralNetworkBuilder(
        features(x=(2, 3, 4)), features(static=(6, 4), preserving=(2, 6, 2)), disable_rank5_shape_mapping=True)
    builder.add_reshape_static("to_static", "x", "static", (-1, 4))
    builder.add_rank_preserving_reshape("to_preserving", "x", "preserving", (0, -1, 2))
    x = numbers(2, 3, 4)
    save("reshaped_arrays", builder.spec, {"x": x}, {
        "static": x.reshape(-1, 4), "preserving": x.reshape(2, -1, 2)})


def classifiers():
    """One with whole numbers for labels, and one with texts that an app can train further."""
    for name, labels in [("digits", [3, 5, 8]), ("fruit", ["apple", "fig", "plum"])]:
        builder = NeuralNetworkBuilder(features(x=(4,)), features(odds=()), mode="classifier")
        builder.add_inner_product("dense", numbers(3, 4), numbers(3), 4, 3, True, "x", "dense")
        builder.add_softmax("softmax", "dense", "odds")
        builder.set_class_labels(labels, "label", "odds")
        if name == "fruit":
            builder.make_updatable(["dense"])
            builder.set_categorical_cross_entropy_loss("loss", "odds")
            builder.set_sgd_optimizer(SgdParams(lr=0.01, batch=1))
            builder.set_epochs(1)
        save(name, builder.spec)


def custom_layers():
    """Layers of an app, with what their author said of them."""
    builder = NeuralNetworkBuilder(features(x=(2, 6, 6)), features(y=(2, 2, 2)))
    previous = "x"
    layers = [
        ("crop", "CropLambda", "return x[:, 2:-2, 2:-2]", {}, []),
        ("swish", "Swish", "A fancy new activation function", {}, []),
        ("rescale", "RescaleLambda", "Maps -1...1 to pixels ((x+1)*127.5)", {}, []),
        ("attend", "Attend", "Weighs\nthe channels", {"heads": 2, "scale": 0.5, "mode": "soft"}, [4, 2]),
    ]
    for name, kind, text, parameters, weights in layers:
        custom = ct.proto.NeuralNetwork_pb2.CustomLayerParams()
        custom.className, custom.description = kind, text
        for key, value in parameters.items():
            field = {int: "intValue", float: "doubleValue", str: "stringValue"}[type(value)]
            setattr(custom.parameters[key], field, value)
        for count in weights:
            custom.weights.add().floatValue.extend(range(count))
        result = "y" if name == layers[-1][0] else name
        builder.add_custom(name, [previous], [result], custom)
        previous = result
    save("custom_layers", builder.spec)


def cropped():
    """Custom layers whose descriptions say all of what they compute."""
    builder = NeuralNetworkBuilder(features(x=(2, 7, 8)), features(y=(2, 3, 3)))
    steps = [
        ("crop", "CropLambda", "return x[:, 2:-2, 1:-4]"),
        ("rescale", "RescaleLambda", "Maps -1...1 to pixels ((x+1)*127.5)"),
    ]
    previous = "x"
    for name, kind, text in steps:
        custom = ct.proto.NeuralNetwork_pb2.CustomLayerParams()
        custom.className, custom.description = kind, text
        result = "y" if name == "rescale" else name
        builder.add_custom(name, [previous], [result], custom)
        previous = result
    x = numbers(2, 7, 8)
    save("cropped", builder.spec, {"x": x}, {"y": (x[:, 2:-2, 1:-4] + 1) * 127.5})


def image_classifier():
    """What Create ML makes: Apple's feature extractor, and a classifier of its features."""
    extractor = Model_pb2.Model()
    extractor.specificationVersion = 3
    feature = extractor.description.input.add(name="image")
    feature.type.imageType.width = feature.type.imageType.height = 299
    feature.type.imageType.colorSpace = FeatureTypes_pb2.ImageFeatureType.RGB
    feature = extractor.description.output.add(name="scene")
    feature.type.multiArrayType.shape.append(2048)
    feature.type.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.DOUBLE
    extractor.visionFeaturePrint.scene.version = 1
    classifier = Model_pb2.Model()
    classifier.specificationVersion = 3
    classifier.description.input.add().CopyFrom(extractor.description.output[0])
    feature = classifier.description.output.add(name="odds")
    feature.type.dictionaryType.stringKeyType.SetInParent()
    classifier.description.output.add(name="label").type.stringType.SetInParent()
    classifier.description.predictedFeatureName = "label"
    classifier.description.predictedProbabilitiesName = "odds"
    classifier.glmClassifier.weights.add().value.extend([0.0] * 2)
    classifier.glmClassifier.offset.append(0.0)
    classifier.glmClassifier.stringClassLabels.vector.extend(["cat", "dog"])
    pipeline = PipelineClassifier(
        [("image", extractor.description.input[0].type.imageType and datatypes.Array(1))], ["cat", "dog"])
    spec = pipeline.spec
    del spec.description.input[:], spec.description.output[:]
    spec.description.input.add().CopyFrom(extractor.description.input[0])
    for feature in classifier.description.output:
        spec.description.output.add().CopyFrom(feature)
    spec.description.predictedFeatureName = "label"
    spec.description.predictedProbabilitiesName = "odds"
    spec.specificationVersion = 3
    spec.pipelineClassifier.pipeline.models.add().CopyFrom(extractor)
    spec.pipelineClassifier.pipeline.models.add().CopyFrom(classifier)
    describe(spec, "Tells cats from dogs")
    save("image_classifier", spec)


def settle(package):
    """Writes a package's model with its maps in order, and fixed names in place of random ones."""
    path = package / "Data/com.apple.CoreML/model.mlmodel"
    path.write_bytes(settled(Model_pb2.Model.FromString(path.read_bytes())))
    path = package / "Manifest.json"
    manifest = json.loads(path.read_text())
    for name, entry in list(manifest["itemInfoEntries"].items()):
        item = package / "Data" / entry["path"]
        if item.is_dir() and not any(item.iterdir()):  # Git leaves it out
            item.rmdir()
            del manifest["itemInfoEntries"][name]
    names = {}
    entries = sorted(manifest["itemInfoEntries"].items(), key=lambda entry: entry[1]["path"])
    for name, entry in entries:
        names[name] = str(uuid.uuid5(uuid.NAMESPACE_URL, entry["path"])).upper()
    manifest["itemInfoEntries"] = {names[name]: entry for name, entry in entries}
    manifest["rootModelIdentifier"] = names[manifest["rootModelIdentifier"]]
    path.write_text(json.dumps(manifest, indent=4) + "\n")


def package(name, write):
    path = HERE / f"{name}.mlpackage"
    shutil.rmtree(path, ignore_errors=True)
    write(str(path))
    settle(path)


def programs():
    """ML Programs: as a package, as a bare file, and with two functions."""
    weights = numbers(4, 3, 1, 1)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 8, 8))], opset_version=ct.target.iOS15)
    def program(x):
        return mb.softmax(x=mb.relu(x=mb.conv(x=x, weight=weights)), axis=1, name="y")

    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS15,
        inputs=[ct.ImageType(name="x", shape=(1, 3, 8, 8), scale=1 / 255)], skip_model_load=True)
    describe(model._spec, "Marks things")
    package("program", model.save)
    save("program", model.get_spec())

    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for axis in [1, 2]:
            @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 8))], opset_version=ct.target.iOS18)
            def part(x):
                return mb.softmax(x=x, axis=axis, name="y")

            paths.append(f"{folder}/{axis}.mlpackage")
            ct.convert(
                part, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18,
                skip_model_load=True).save(paths[-1])
        parts = MultiFunctionDescriptor()
        parts.add_function(paths[0], "main", "by_row")
        parts.add_function(paths[1], "main", "by_column")
        parts.default_function_name = "by_row"
        package("functions", lambda path: save_multifunction(parts, path))


def network_package():
    """A neural network in a package, which is how newer tools may store one."""
    builder = NeuralNetworkBuilder(features(x=(2, 2, 2)), features(y=(2, 2, 2)))
    builder.add_activation("halve", "LINEAR", "x", "y", [0.5, 1.0])
    describe(builder.spec, "Halves")
    package("network", ct.models.MLModel(builder.spec, skip_model_load=True).save)


def grid(mode, old, new):
    """The coordinates that a mode of SamplingMode or of UpsampleLayerParams reads on an axis."""
    if mode == "ALIGN_CORNERS_FALSE":
        spacing = old / new
        return np.clip(np.arange(new) * spacing + 0.5 * spacing - 0.5, 0, old - 1)
    start, end = 0, old - 1
    if mode == "ALIGN_ENDPOINTS_MODE" and new == 1:
        start = end = (old - 1) / 2
    elif mode in ["UPSAMPLE_MODE", "DEFAULT"]:
        end = old - old / new
    elif mode == "ROI_ALIGN_MODE":
        spacing = max(1, old - 1) / new
        start = 0.5 * spacing
        end = start + (new - 1) * spacing
    return np.minimum(old - 1, np.linspace(start, end, new))


def bilinear(x, size, mode):
    """Bilinear interpolation of the last two axes."""
    for axis, new in zip([-2, -1], size):
        old = x.shape[axis]
        position = grid(mode, old, new)
        lower = np.floor(position).astype(int)
        weight = np.expand_dims(position - lower, -1) if axis == -2 else position - lower
        upper = np.minimum(lower + 1, old - 1)
        x = np.take(x, lower, axis) * (1 - weight) + np.take(x, upper, axis) * weight
    return x.astype(np.float32)


def resized():
    """`resizeBilinear` in all modes, to larger, smaller and the same sizes, and to single elements."""
    sizes = [(8, 9), (2, 3), (4, 5), (1, 1), (1, 7), (12, 5), (6, 2)]
    modes = ["STRICT_ALIGN_ENDPOINTS_MODE", "ALIGN_ENDPOINTS_MODE", "UPSAMPLE_MODE", "ROI_ALIGN_MODE"]
    inputs = {"plane": numbers(2, 4, 5), "line": numbers(1, 1, 6), "point": numbers(3, 1, 1)}
    for name, exact in [("resized_pictures", False), ("resized_arrays", True)]:
        x = {"plane": numbers(3, 1, 4, 5)} if exact else inputs
        cases = [(k, m, s) for k in x for m in modes for s in (sizes[:5] if k == "plane" else sizes[3:5])]
        names = ["%s_%s_%dx%d" % (k, m.removesuffix("_MODE").lower(), *s) for k, m, s in cases]
        outputs = {n: bilinear(x[k], s, m) for n, (k, m, s) in zip(names, cases)}
        builder = NeuralNetworkBuilder(
            features(**{k: v.shape for k, v in x.items()}), features(**{k: v.shape for k, v in outputs.items()}),
            disable_rank5_shape_mapping=exact)
        for n, (k, m, s) in zip(names, cases):
            builder.add_resize_bilinear(f"resize_{n}", k, n, *s, mode=m)
        save(name, builder.spec, x, outputs)


def upsampled():
    """`upsample` with whole and fractional factors, whose sizes are rounded down."""
    x = numbers(2, 4, 5)
    cases = [(m, f) for m in ["DEFAULT", "ALIGN_CORNERS_TRUE", "ALIGN_CORNERS_FALSE"] for f in [(2, 3), (1, 1)]]
    cases += [(m, f) for m in ["ALIGN_CORNERS_TRUE", "ALIGN_CORNERS_FALSE"] for f in [(1.5, 2.2), (1.3, 0.5), (0.25, 3.0)]]
    names = [f"{m.lower()}_{i}" for i, (m, _) in enumerate(cases)]
    outputs = {}
    for name, (mode, factors) in zip(names, cases):
        size = [int(np.float32(old) * np.float32(factor)) for old, factor in zip(x.shape[1:], factors)]
        outputs[name] = bilinear(x, size, mode)
    outputs["nearest"] = x.repeat(2, 1).repeat(3, 2)
    builder = NeuralNetworkBuilder(features(x=x.shape), features(**{k: v.shape for k, v in outputs.items()}))
    for name, (mode, factors) in zip(names, cases):
        builder.add_upsample(f"upsample_{name}", *factors, "x", name, mode="BILINEAR", linear_upsample_mode=mode)
    builder.add_upsample("upsample_nearest", 2, 3, "x", "nearest")
    save("upsampled", builder.spec, {"x": x}, outputs)


def softmaxes():
    """`softmax` of arrays of every rank. A vector is the channels; a matrix has them last."""

    def softmax(x, axis):
        powers = np.exp(x - x.max(axis, keepdims=True))
        return (powers / powers.sum(axis, keepdims=True)).astype(np.float32)

    shapes = {"vector": (4,), "matrix": (2, 4), "cube": (3, 2, 4), "four": (2, 3, 2, 2), "five": (2, 1, 3, 2, 2)}
    x = {name: numbers(*shape) / 4 for name, shape in shapes.items()}
    for name, exact in [("softmax_arrays", True), ("softmax_pictures", False)]:
        given = {k: v for k, v in x.items() if exact or v.ndim in [1, 3]}
        outputs = {f"{k}_odds": softmax(v, -1 if v.ndim < 3 else -3) for k, v in given.items()}
        builder = NeuralNetworkBuilder(
            features(**{k: v.shape for k, v in given.items()}), features(**{k: v.shape for k, v in outputs.items()}),
            disable_rank5_shape_mapping=exact)
        for k in given:
            builder.add_softmax(f"softmax_{k}", k, f"{k}_odds")
        save(name, builder.spec, given, outputs)


def low_ranks():
    """What the specification says of vectors: in products, with fewer repetitions than axes, and squeezed."""
    x = {"vector": numbers(4), "matrix": numbers(4, 3), "cube": numbers(2, 3, 4), "single": numbers(1)}
    builder = NeuralNetworkBuilder(
        features(**{k: v.shape for k, v in x.items()}),
        features(row=(1, 3), column=(2, 3, 1), dot=(1, 1), repeated=(2, 6, 4), squeezed=(1,)),
        disable_rank5_shape_mapping=True)
    builder.add_batched_mat_mul("multiply_row", ["vector", "matrix"], "row")
    builder.add_batched_mat_mul("multiply_column", ["cube", "vector"], "column")
    builder.add_batched_mat_mul("multiply_dot", ["vector", "vector"], "dot")
    builder.add_tile("repeat", "cube", "repeated", reps=[2, 1])
    builder.add_squeeze("squeeze", "single", "squeezed", axes=[0])
    save("low_ranks", builder.spec, x, {
        "row": x["vector"][None] @ x["matrix"], "column": x["cube"] @ x["vector"][:, None],
        "dot": np.dot(x["vector"], x["vector"]).reshape(1, 1), "repeated": np.tile(x["cube"], (1, 2, 1)),
        "squeezed": x["single"]})


def remembering():
    """A classifier of movements, as Turi Create makes it: its LSTM passes its state on in optional features."""
    steps, size, units, classes = 5, 3, 2, 3
    gates = 4
    weights = [RNG.normal(size=(units, size)).astype(np.float32) for _ in range(gates)]
    recurrent = [RNG.normal(size=(units, units)).astype(np.float32) for _ in range(gates)]
    bias = [RNG.normal(size=units).astype(np.float32) for _ in range(gates)]
    dense, offset = RNG.normal(size=(classes, units)).astype(np.float32), RNG.normal(size=classes).astype(np.float32)
    builder = NeuralNetworkBuilder(features(features=(size, 1, steps)), features(odds=(classes,)))
    builder.add_optionals([("h_in", units), ("c_in", units)], [("h_out", units), ("c_out", units)])
    builder.add_permute("to_sequence", (3, 1, 2, 0), "features", "sequence")
    builder.add_unilstm(
        "lstm", recurrent, weights, bias, units, size, ["sequence", "h_in", "c_in"], ["last", "h_out", "c_out"])
    builder.add_inner_product("dense", dense, offset, units, classes, True, "last", "scores")
    builder.add_softmax("softmax", "scores", "odds")

    def run(x, h, c):
        sigmoid = lambda value: 1 / (1 + np.exp(-value))
        for t in range(steps):
            i, f, o, z = [w @ x[:, 0, t] + r @ h + b for w, r, b in zip(weights, recurrent, bias)]
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(z)
            h = sigmoid(o) * np.tanh(c)
        powers = np.exp(dense @ h + offset)
        return {k: v.astype(np.float32) for k, v in {"odds": powers / powers.sum(), "h_out": h, "c_out": c}.items()}

    first, second = RNG.normal(size=(2, size, 1, steps)).astype(np.float32)
    state = {"features": first, "h_in": np.zeros(units, np.float32), "c_in": np.zeros(units, np.float32)}
    before = run(first, state["h_in"], state["c_in"])
    np.savez(HERE / "remembering.before.npz", **state)
    x = {"features": second, "h_in": before["h_out"], "c_in": before["c_out"]}
    save("remembering", builder.spec, x, run(*x.values()))


def activations():
    """Activations at and beyond their bounds, and recurrent layers whose sums leave -50...50."""
    x = np.float32([[-6, -1, 0], [0.5, 1, 1.5], [2, 4, 100]])
    outputs = {}
    cases = [("thresholded", 1.0), ("thresholded", -1.0), ("clamped", (0.5, 1.5)), ("clamped", (-2, 3)), ("clamped", (0.5, -1))]
    names = [f"{kind}_{i}" for i, (kind, _) in enumerate(cases)]
    for name, (kind, value) in zip(names, cases):
        if kind == "thresholded":
            outputs[name] = np.where(x >= value, x, 0)
        else:
            outputs[name] = np.minimum(value[1], np.where(x >= 0, x, value[0] * x))
    outputs["gelu"] = x / (1 + np.exp(-1.702 * x.astype(np.float64)))
    steps = RNG.normal(size=(4, 2, 3)).astype(np.float32) * 20
    kernel, recurrent = RNG.normal(size=(2, 3)).astype(np.float32), RNG.normal(size=(2, 2)).astype(np.float32)
    for name, function in [("rnn_relu", lambda v: np.maximum(v, 0)), ("rnn_linear", lambda v: v)]:
        y, rows = np.zeros((2, 2)), []
        for step in steps:
            y = function(np.clip(step @ kernel.T + y @ recurrent.T, -50, 50))
            rows.append(y)
        outputs[name] = np.stack(rows)[..., None, None]
    outputs = {k: v.astype(np.float32) for k, v in outputs.items()}
    inputs = {"x": x, "steps": steps[..., None, None]}
    builder = NeuralNetworkBuilder(
        features(**{k: v.shape for k, v in inputs.items()}), features(**{k: v.shape for k, v in outputs.items()}),
        disable_rank5_shape_mapping=True)
    for name, (kind, value) in zip(names, cases):
        if kind == "thresholded":
            builder.add_activation(name, "THRESHOLDEDRELU", "x", name, value)
        else:
            builder.add_clamped_relu(name, "x", name, *value)
    builder.add_gelu("gelu", "x", "gelu", mode="SIGMOID_APPROXIMATION")
    for name, activation in [("rnn_relu", "RELU"), ("rnn_linear", "LINEAR")]:
        builder.add_simple_rnn(
            name, recurrent, kernel, None, 2, 3, activation, ["steps"], [name, f"{name}_state"], output_all=True)
    save("activations", builder.spec, inputs, outputs)


def defaults():
    """Optional arrays with defaults of their own; `defaults.given.npz` has them, and what they give."""
    shape = (2, 3)
    builder = NeuralNetworkBuilder(
        features(x=shape, factor=shape, summand=shape), features(y=shape), disable_rank5_shape_mapping=True)
    builder.add_multiply_broadcastable("multiply", ["x", "factor"], "product")
    builder.add_add_broadcastable("add", ["product", "summand"], "y")
    builder.spec.specificationVersion = 5
    factor, summand = [feature.type for feature in builder.spec.description.input[1:]]
    factor.isOptional = summand.isOptional = True
    factor.multiArrayType.floatDefaultValue = 2.5
    summand.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.INT32
    summand.multiArrayType.intDefaultValue = -3
    x, scale, offset = numbers(*shape), numbers(*shape) / 4, RNG.integers(-8, 9, shape).astype(np.int32)
    np.savez(HERE / "defaults.given.npz", x=x, factor=scale, summand=offset, y=x * scale + offset.astype(np.float32))
    save("defaults", builder.spec, {"x": x}, {"y": x * np.float32(2.5) - 3})


def convolved():
    """A network for images as of the first specification: a convolution, a rectifier, the largest of 2 by 2, and another."""
    x = numbers(3, 8, 8)
    kernels = [RNG.normal(size=(4, 3, 3, 3)).astype(np.float32), RNG.normal(size=(2, 4, 1, 1)).astype(np.float32)]
    bias = RNG.normal(size=4).astype(np.float32)
    builder = NeuralNetworkBuilder(features(x=(3, 8, 8)), features(y=(2, 4, 4)))
    # coremltools takes kernels as height, width, inputs, outputs.
    builder.add_convolution(
        "first", 3, 4, 3, 3, 1, 1, "same", 1, kernels[0].transpose(2, 3, 1, 0), bias, True, input_name="x", output_name="sum")
    builder.add_activation("relu", "RELU", "sum", "positive")
    builder.add_pooling("pool", 2, 2, 2, 2, "MAX", "VALID", "positive", "largest")
    builder.add_convolution(
        "second", 4, 2, 1, 1, 1, 1, "valid", 1, kernels[1].transpose(2, 3, 1, 0), None, False, input_name="largest", output_name="y")
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    positive = np.maximum(0, np.einsum("cyxhw,ochw->oyx", windows, kernels[0]) + bias[:, None, None])
    largest = positive.reshape(4, 4, 2, 4, 2).max((2, 4))
    save("convolved", builder.spec, {"x": x}, {"y": np.einsum("cyx,oc->oyx", largest, kernels[1][:, :, 0, 0])})


MAKERS = {
    reshaped_pictures: [("reshaped_pictures", "`reshape` to shapes in which -1 stands for a size.")],
    reshaped_arrays: [("reshaped_arrays", "`reshapeStatic` and `rankPreservingReshape` with -1 and 0.")],
    classifiers: [
        ("digits", "A classifier whose labels are whole numbers."),
        ("fruit", "A classifier whose labels are strings, which an app can train further.")],
    custom_layers: [("custom_layers", "Layers of an app, with descriptions, parameters and weights.")],
    cropped: [("cropped", "Custom layers whose descriptions say all of what they compute.")],
    image_classifier: [
        ("image_classifier", "What Create ML makes: Apple's feature extractor and a classifier of its features.")],
    programs: [
        ("program", "An ML Program: bare, and as a package with its weights."),
        ("functions", "A package of an ML Program with two functions.")],
    network_package: [("network", "A package that holds a neural network.")],
    resized: [
        ("resized_pictures", "`resizeBilinear` in all modes, to larger, smaller and the same sizes."),
        ("resized_arrays", "The same for an array with exactly the axes that it has.")],
    upsampled: [("upsampled", "`upsample` with whole and fractional factors.")],
    softmaxes: [
        ("softmax_arrays", "`softmax` of arrays of ranks 1 to 5."),
        ("softmax_pictures", "`softmax` of arrays that are mapped to five axes.")],
    low_ranks: [("low_ranks", "What the specification says of vectors in products, and of ranks in others.")],
    remembering: [(
        "remembering", "An LSTM whose state is passed on from window to window in optional features;"
        " `remembering.before.npz` is the window before.")],
    activations: [(
        "activations", "Activations at and beyond their bounds, and recurrent layers whose sums leave -50...50.")],
    defaults: [(
        "defaults", "Optional arrays with defaults of their own; `defaults.given.npz` has arrays for them, and the"
        " result.")],
    convolved: [("convolved", "A network for images: convolutions, a rectifier and pooling, without a batch.")],
}


def write_readme():
    title, *about = __doc__.split("\n\n    ")[0].split("\n\n")
    lines = [
        "# Core ML files of coremltools", "",
        title.replace("Makes the Core ML files of this folder", "Made by `record.py`").replace(", and README.md", ""),
        "`CoreMLSampleTests.swift` and `CoreMLPackageTests.swift` in `Tests/Conversion/ConversionTests` read them.", "", *about, "",
        "| file | what is in it |", "|---|---|"]
    for names in MAKERS.values():
        lines += [f"| `{name}` | {what} |" for name, what in names]
    (HERE / "README.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for make in MAKERS:
        make()
    write_readme()
