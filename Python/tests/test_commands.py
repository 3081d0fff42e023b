"""What the program's commands do: cutting, compacting, comparing, classifying, metadata, reports, indexes."""

import pathlib
import shutil

import numpy
import pytest

import weighbridge


def test_a_part_computes_the_same(model, sketch):
    part = model.cut(["dense_1"])
    rest = model.cut([model.outputs[0].name], ["dense_1"])
    features = part.run(sketch)
    assert features["dense_1"].shape == (1, 64)
    whole = model.run(sketch)[model.outputs[0].name]
    numpy.testing.assert_allclose(rest.run(features)[rest.outputs[0].name], whole, atol=1e-6)
    with pytest.raises(weighbridge.ArgumentError, match="dense_9"):
        model.cut(["dense_9"])
    with pytest.raises(weighbridge.ArgumentError, match="list of strings"):
        model.cut("dense_1")


def test_compacting_and_comparing(model, tmp_path):
    lossless = model.compact()
    found = model.compare(lossless, inputs="input.npy")
    assert found.same and found.weights > 0
    assert "output" in [item.kind for item in found.differences]
    model.compact(max_error=0.05).write("small.wbm")
    small = weighbridge.inspect("small.wbm")
    loss = small["compaction"]["outputs"][0]
    assert loss["worst"] <= loss["bound"] <= 0.05
    other = model.compare(weighbridge.open("small.wbm"))
    assert not other.same and any(item.counts for item in other.differences)
    with pytest.raises(weighbridge.ArgumentError, match="exclude each other"):
        model.compact(max_error=0.1, encoding="int8")
    with pytest.raises(weighbridge.ArgumentError, match="list of paths"):
        model.compact(max_error=0.1, calibration="photos")


def test_classifying(sketches):
    with weighbridge.open(sketches) as model:
        found = model.classify("star.png", top=3)
        assert [found[0].label, found[0].class_index, len(found)] == ["star", 7, 3]
        assert found == weighbridge.classify(sketches, "star.png", top=3)
        assert sum(item.probability for item in model.classify("star.png", top=8)) == pytest.approx(1)
        assert model.classify(numpy.zeros((64, 64, 3), "uint8"), threshold=1.0) == []
        with pytest.raises(weighbridge.ArgumentError, match="0 to 1"):
            model.classifier(threshold=2.0)


def test_stylizing(samples):
    folder = samples / "Models/softening"
    metadata = {"inputs": [{"name": "photo", "image": {"scale": 1 / 255}}]}
    with weighbridge.open(folder / "softening.h5", metadata=metadata) as model:
        model.stylize(folder / "wide.png", "soft.png")
        assert open("soft.png", "rb").read(4) == b"\x89PNG"
        with pytest.raises(weighbridge.ArgumentError, match="output_bias needs output_scale"):
            model.stylize(folder / "wide.png", "soft.png", output_bias=1.0)


def test_editing_metadata():
    weighbridge.edit_metadata("shapes.wbm", {"mine": "1", "version": "2"}, output="b.wbm")
    assert weighbridge.open("shapes.wbm").metadata.get("version") is None
    found = weighbridge.open("b.wbm").metadata
    assert found["version"] == "2" and found["userDefined"] == {"mine": "1"}
    weighbridge.edit_metadata("b.wbm", {"mine": None})
    assert "userDefined" not in weighbridge.open("b.wbm").metadata
    with pytest.raises(weighbridge.ArgumentError, match="no entry mine"):
        weighbridge.edit_metadata("b.wbm", {"mine": None})
    with pytest.raises(weighbridge.StateError):
        weighbridge.edit_metadata("b.wbm", {"mine": "1"}, output="shapes.wbm", no_clobber=True)


def test_reports(sketches):
    weighbridge.report(["shapes.wbm", sketches], "both.html", no_verify=True, no_profile=True)
    page = open("both.html").read()
    assert "shapes.wbm" in page and "ellipse" in page and "zigzag" in page
    with pytest.raises(weighbridge.ArgumentError, match="one model or two"):
        weighbridge.report([], "none.html")


def test_indexes(samples, sketches):
    folder = samples / "Models/sketch-classifier/sketches"
    features = weighbridge.open(sketches).cut(["dense_1"])
    update = weighbridge.index("sketches.db", folder, features)
    assert (update.images, update.analyzed, update.unreadable) == (200, 200, ())
    again = weighbridge.index("sketches.db", folder, features)
    assert (again.analyzed, again.unchanged) == (0, 200)
    query = folder / "007-star.png"
    (matches,) = weighbridge.similar("sketches.db", [query], top=3, plot="plots").values()
    assert {path.name for path in pathlib.Path("plots").iterdir()} == {
        f"{name}.{kind}" for name in ("007-star.png.features", "distances") for kind in ("png", "svg")
    }
    assert len(matches) == 3 and all("star" in match.image for match in matches)
    assert [match.distance for match in matches] == sorted(match.distance for match in matches)
    with pytest.raises(weighbridge.ArgumentError, match="detect"):
        weighbridge.search("sketches.db", layout=[])
    shutil.copy("star.png", "photos")
    shapes = weighbridge.open("shapes.wbm")
    wanted = [{"label": "ellipse", "x": 0, "y": 0, "width": 0.5, "height": 0.5}]
    found = weighbridge.search("photos", shapes, layout=wanted, max_cost=100.0, top=1, output="found.png")
    assert pathlib.Path("found.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(weighbridge.ArgumentError, match="neither .png nor .jpg"):
        weighbridge.search("photos", shapes, layout=wanted, output="found.gif")
    assert len(found) == 1 and set(found[0].terms) == {
        "presence", "relative_position", "size", "relative_size",
    }
    with pytest.raises(weighbridge.ArgumentError, match="one of layout and like"):
        weighbridge.search("photos", shapes)
