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
}


def write_readme():
    title, *about = __doc__.split("\n\n    ")[0].split("\n\n")
    lines = [
        "# Core ML files of coremltools", "",
        title.replace("Makes the Core ML files of this folder", "Made by `record.py`").replace(", and README.md", ""),
        "`CoreMLSampleTests.swift` and `CoreMLPackageTests.swift` in `Tests/ConversionTests` read them.", "", *about, "",
        "| file | what is in it |", "|---|---|"]
    for names in MAKERS.values():
        lines += [f"| `{name}` | {what} |" for name, what in names]
    (HERE / "README.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for make in MAKERS:
        make()
    write_readme()
