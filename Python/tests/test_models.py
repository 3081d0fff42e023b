"""Opening, inspecting, converting, exporting, verifying, detecting."""

import os
import sys

import numpy
import pytest

import weighbridge


def test_ports(model, dense):
    assert [port.dtype for port in model.inputs] == ["float32"]
    assert model.inputs[0].shape == (None, 64, 64, 1)
    assert len(dense.inputs) == len(dense.outputs) == 2
    assert dense.outputs[1].shape == (2, 3, 70)


def test_formats_and_reports(tmp_path):
    weighbridge.convert("sketch-classifier.h5", "a.wbm", metadata={"author": "A. Author"})
    model = weighbridge.open("a.wbm")
    assert model.metadata["author"] == "A. Author"
    assert weighbridge.inspect("a.wbm")["format"] == "wbm 1.0"
    report = model.verify(against="sketch-classifier.h5")
    assert report.passed
    assert {"container", "source"} <= {check.name for check in report.checks}
    exported = model.export("a.onnx", layout="nchw", opset=17)
    assert exported.files == ("a.onnx",)
    assert weighbridge.open("a.onnx").outputs[0].shape == (None, 8)


def test_a_damaged_file_fails_the_report_or_does_not_open():
    weighbridge.convert("sketch-classifier.h5", "a.wbm")
    content = bytearray(open("a.wbm", "rb").read())
    content[-1] ^= 1
    open("b.wbm", "wb").write(content)
    report = weighbridge.open("b.wbm").verify()
    assert not report.passed
    assert [check.status for check in report.checks if check.name == "container"] == ["failed"]


def test_detecting_in_a_file_and_in_an_array():
    found = weighbridge.detect("shapes.wbm", "picture.png", confidence_threshold=0.5)
    assert found and all(0.5 < item.confidence <= 1 for item in found)
    assert all(item.label in {"ellipse", "rectangle", "triangle"} for item in found)
    white = numpy.full((88, 88, 3), 255, "uint8")
    with weighbridge.open("shapes.wbm") as model:
        assert weighbridge.detect(model, white) == []
        assert model.detect("picture.png", confidence_threshold=0.5) == found
        with model.detector(confidence_threshold=0.5) as detector:
            assert detector.draw("picture.png", "boxes.png") == found
            assert open("boxes.png", "rb").read() != open("picture.png", "rb").read()
            with pytest.raises(weighbridge.ArgumentError, match="neither .png nor .jpg"):
                detector.draw("picture.png", "boxes.txt")
        with pytest.raises(weighbridge.ArgumentError, match=r"takes uint8 .* array.astype\('uint8'\)"):
            model.detect(white.astype("float32"))
        with pytest.raises(weighbridge.ArgumentError, match="ascontiguousarray"):
            model.detect(white[:, ::2])
        with pytest.raises(weighbridge.ArgumentError, match="height, width, 3"):
            model.detect(white[0])


def test_a_model_without_a_detector(model):
    with pytest.raises(weighbridge.ArgumentError):
        model.detect("picture.png")


def test_what_is_not_there():
    with pytest.raises(weighbridge.ModelError) as caught:
        weighbridge.open("none.h5")
    assert (caught.value.code, caught.value.file) == ("missing", "none.h5")
    assert str(caught.value).startswith("none.h5: ")


def test_what_is_no_model():
    with pytest.raises(weighbridge.ModelError) as caught:
        weighbridge.open("picture.png")
    assert caught.value.code in {"malformed", "unsupported"}


@pytest.mark.parametrize(
    "options, text",
    [
        ({"weights": "x.weights"}, "`weights`"),
        ({"darknet": "yolo"}, "alexeyab, pjreddie"),
        ({"input_shapes": ["8,x"]}, "NAME=8,None,3"),
        ({"input_shapes": "8,3"}, "a list of strings"),
        ({"keras_version": 2}, "keras_version must be a string or path, not int"),
        ({"architecture": "a\0b"}, "NUL"),
        ({"metadata": {"colour": "red"}}, "colour"),
    ],
)
def test_wrong_options(options, text):
    with pytest.raises(weighbridge.ArgumentError, match=text):
        weighbridge.open("sketch-classifier.h5", **options)


def test_an_option_that_is_unknown():
    with pytest.raises(TypeError, match="colour"):
        weighbridge.open("sketch-classifier.h5", colour="red")


def test_files_that_are_there_already():
    weighbridge.convert("sketch-classifier.h5", "a.wbm")
    weighbridge.convert("sketch-classifier.h5", "a.wbm")
    with pytest.raises(weighbridge.StateError) as caught:
        weighbridge.convert("sketch-classifier.h5", "a.wbm", no_clobber=True)
    assert caught.value.code == "outputFailed"


def test_the_names_of_version_0_2(model):
    with pytest.warns(DeprecationWarning, match="keep_existing is now called no_clobber"):
        model.write("old.wbm", keep_existing=True)
    with pytest.warns(DeprecationWarning, match="keep_existing"), pytest.raises(weighbridge.StateError):
        weighbridge.convert("sketch-classifier.h5", "old.wbm", keep_existing=True)
    with pytest.warns(DeprecationWarning, match="keep_existing"), pytest.raises(weighbridge.StateError):
        model.export("old.wbm", "npz", keep_existing=True)
    with pytest.raises(weighbridge.ArgumentError, match="both are given"):
        model.write("old.wbm", keep_existing=True, no_clobber=True)
    with pytest.warns(DeprecationWarning, match="losses is now called notes"):
        assert model.export("old.npz").losses
    with weighbridge.open("shapes.wbm") as detector:
        found = detector.detect("picture.png", confidence_threshold=0.5, iou_threshold=0.4)
        with pytest.warns(DeprecationWarning, match="threshold is now called confidence_threshold"):
            assert detector.detect("picture.png", threshold=0.5, overlap=0.4) == found


def test_every_option_has_a_type():
    from weighbridge import _options

    structs = {"ReadKeywords", "RunKeywords", "WriteKeywords", "ExportKeywords", "DetectKeywords"}
    for name in structs | {"VerifyKeywords", "AnalyzeKeywords"}:
        assert getattr(_options, name).__optional_keys__, name
    assert "keep_integers" in _options.ExportKeywords.__optional_keys__


def test_options_of_a_format(model, tmp_path):
    model.export("a.npz", keep_integers=True)
    with pytest.raises(weighbridge.ArgumentError, match="`keep_integers` does not apply to the format onnx"):
        model.export("a.onnx", keep_integers=True)
    with weighbridge.open("shapes.wbm") as detector:
        detector.export("heads.onnx", with_nms=False)
        detector.export("boxes.onnx", with_nms=True)
        heads, boxes = weighbridge.open("heads.onnx"), weighbridge.open("boxes.onnx")
        assert [port.name for port in heads.outputs] != [port.name for port in boxes.outputs]
        stretched = detector.detect("picture.png", resize="stretch")
        assert stretched == detector.detect("picture.png")
        with pytest.raises(weighbridge.ArgumentError, match="letterbox, stretch, center-crop"):
            detector.detect("picture.png", resize="crop")


def test_reference_files(model, sketch):
    outputs = model.run(sketch)
    numpy.save("x.npy", sketch)
    numpy.save("y.npy", outputs[model.outputs[0].name])
    numpy.save("wrong.npy", outputs[model.outputs[0].name] + 1)
    assert model.verify(reference_inputs="x.npy", reference_outputs="y.npy").passed
    assert not model.verify(reference_inputs="x.npy", reference_outputs="wrong.npy").passed
    with pytest.raises(weighbridge.ArgumentError, match="go together"):
        model.verify(reference_inputs="x.npy")


def test_a_closed_model(model, sketch):
    model.run(sketch)
    model.close()
    model.close()
    for use in (lambda: model.run(sketch), lambda: model.metadata, model.verify, model.session):
        with pytest.raises(weighbridge.StateError) as caught:
            use()
        assert caught.value.code == "invalidHandle"


def test_three_classes():
    assert issubclass(weighbridge.ArgumentError, ValueError)
    assert issubclass(weighbridge.StateError, RuntimeError)
    assert weighbridge.WeighbridgeError.__subclasses__() == [
        weighbridge.ModelError, weighbridge.ArgumentError, weighbridge.StateError,
    ]


def test_other_packages(model):
    onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
    assert isinstance(model.to_onnx(opset=17), onnx.ModelProto)


def test_a_package_that_is_not_there(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'weighbridge\[onnx\]'"):
        model.to_onnx()


def test_keras(model, sketch, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", os.environ.get("KERAS_BACKEND", "numpy"))
    pytest.importorskip("keras", reason="the package keras is not installed")
    want = model.run(sketch)[model.outputs[0].name]
    got = numpy.asarray(model.to_keras().predict(sketch, verbose=0))
    assert numpy.allclose(got, want, atol=1e-5)
