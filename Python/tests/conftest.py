"""What the tests share: a folder with samples, in which they and the examples of the documentation run."""

import pathlib
import shutil
import sys

import numpy
import pytest

import weighbridge

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Samples"

#: What is said of the shape detector when it is converted.
SHAPES = {
    "labels": ["ellipse", "rectangle", "triangle"],
    "inputs": [{"name": "image", "image": {"scale": 1 / 255}}],
}


@pytest.fixture(scope="session")
def shapes(tmp_path_factory):
    """The shape detector as a .wbm file."""
    sample = SAMPLES / "Models/shape-detector"
    path = tmp_path_factory.mktemp("shapes") / "shapes.wbm"
    anchors = [float(part) for part in (sample / "anchors.txt").read_text().replace(",", " ").split()]
    metadata = {
        **SHAPES,
        "labels": (sample / "labels.names").read_text().split(),
        "detector": {"kind": "region", "anchors": anchors},
    }
    weighbridge.convert(sample / "shape-detector.h5", path, metadata=metadata)
    return path


@pytest.fixture(scope="session")
def sketches(tmp_path_factory):
    """The sketch classifier as a .wbm file, with its labels and its preprocessing."""
    sample = SAMPLES / "Models/sketch-classifier"
    path = tmp_path_factory.mktemp("sketches") / "sketches.wbm"
    metadata = {
        "labels": (sample / "labels.names").read_text().split(),
        "inputs": [{"name": "sketch", "image": {"scale": 1 / 255}}],
    }
    weighbridge.convert(sample / "sketch-classifier.h5", path, metadata=metadata)
    return path


@pytest.fixture(autouse=True)
def in_sample_folder(tmp_path, monkeypatch, shapes, sketches):
    """A folder with the files that the examples name."""
    models = SAMPLES / "Models"
    for name in ("sketch-classifier.h5", "input.npy"):
        shutil.copy(models / "sketch-classifier" / name, tmp_path)
    shutil.copy(models / "shape-detector/picture.png", tmp_path)
    shutil.copy(models / "sketch-classifier/sketches/007-star.png", tmp_path / "star.png")
    (tmp_path / "photos").mkdir()
    shutil.copy(models / "shape-detector/picture.png", tmp_path / "photos")
    shutil.copy(shapes, tmp_path)
    shutil.copy(sketches, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def samples():
    return SAMPLES


@pytest.fixture
def model():
    with weighbridge.open("sketch-classifier.h5") as model:
        yield model


@pytest.fixture
def sketch():
    return numpy.load("input.npy")


@pytest.fixture
def dense():
    """A small network with two inputs and two outputs of fixed shapes."""
    with weighbridge.open(SAMPLES / "WBM/Operators/dense.wbm") as model:
        yield model


@pytest.fixture
def dense_inputs(dense):
    random = numpy.random.default_rng(1)
    return {
        port.name: random.standard_normal(port.shape).astype("float32") for port in dense.inputs
    }


@pytest.fixture
def python():
    """The interpreter."""
    return sys.executable
