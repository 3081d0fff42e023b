"""Jobs, in one process: what the engines share."""

import contextlib
import os
import pathlib
import pickle
import shutil
import sqlite3
import stat
import subprocess

import numpy
import pytest

import weighbridge

pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")

from weighbridge.cluster import Batch, Conversion, Done, PhotoIndex, Source, Store, Worker, run  # noqa: E402
from weighbridge.cluster import _conversion  # noqa: E402
from weighbridge.cluster._job import plan  # noqa: E402


def has_program():
    try:
        return bool(_conversion._program())
    except weighbridge.ModelError:
        return False


needs_program = pytest.mark.skipif(not has_program(), reason="the program weighbridge is not there")


@pytest.fixture
def models(samples, tmp_path):
    """Models of three formats, one of them twice, and two files that are none."""
    folder = tmp_path / "models"
    (folder / "inner").mkdir(parents=True)
    shutil.copy("sketch-classifier.h5", folder / "a.h5")
    shutil.copy("sketch-classifier.h5", folder / "inner/again.H5")
    shutil.copy(samples / "Models/pixel-shuffle/model.keras", folder / "b.keras")
    layer = "[convolutional]\nfilters=2\nsize=3\nstride=1\npad=1\nactivation=leaky\n"
    (folder / "c.cfg").write_text("[net]\nwidth=8\nheight=8\nchannels=3\n" + layer)
    count = 2 + 2 * 3 * 9
    header = numpy.array([0, 2, 0, 0, 0], "<i4").tobytes()
    (folder / "c.weights").write_bytes(header + numpy.ones(count, "<f4").tobytes())
    shutil.copy("picture.png", folder / "d.h5")
    (folder / "e.onnx").write_bytes(b"")
    (folder / "notes.txt").write_text("not looked at")
    return folder


@pytest.fixture
def job(models, tmp_path):
    return Conversion(str(models), str(tmp_path / "out"), batch_size=2)


def rows(job):
    """The rows by the files' names."""
    return {os.path.basename(row["uri"]): row for row in job.table().to_pylist()}


def program(path, text):
    """A program in Bash."""
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@needs_program
def test_converting(job):
    summary = run(job)
    assert summary.known == 0 and summary.counts == {"converted": 4, "refused": 2}
    found = rows(job)
    assert sorted(found) == ["a.h5", "again.H5", "b.keras", "c.cfg", "d.h5", "e.onnx"]
    assert "PNG" in found["d.h5"]["reason"] and found["e.onnx"]["reason"]
    assert found["a.h5"]["output"] == found["again.H5"]["output"]
    assert len(os.listdir(job.place("models"))) == 3
    for name in ("a.h5", "b.keras", "c.cfg"):
        row = found[name]
        assert "source" in {check["name"] for check in row["checks"]}
        assert os.path.getsize(row["output"]) == row["output_size"]
        with weighbridge.open(row["output"]) as model:
            assert model.verify(against=row["uri"]).passed


@needs_program
def test_going_on(job, models):
    """A run that was killed after its first batch, and one that finds a file changed and another new."""
    batches = plan(job).batches
    assert [len(batch.sources) for batch in batches] == [2, 2, 2]
    Worker(job)(batches[0])
    Worker(job)(batches[0])
    summary = run(job)
    assert summary.known == 2 and sum(summary.counts.values()) == 4
    assert run(job) == (6, {}, 0.0)
    shutil.copy(models / "a.h5", models / "d.h5")
    shutil.copy(models / "b.keras", models / "f.keras")
    assert run(job)[:2] == (5, {"converted": 2})
    found = rows(job)
    assert len(found) == len(job.table()) == 7 and found["d.h5"]["status"] == "converted"


@needs_program
def test_content_that_is_known_is_not_converted_again(job, models, tmp_path, monkeypatch):
    run(job)
    calls = tmp_path / "calls"
    monkeypatch.setenv("WEIGHBRIDGE_PROGRAM", program(tmp_path / "p", f"echo >> {calls}; exit 3"))
    shutil.copy(models / "a.h5", models / "moved.h5")
    assert run(job).counts == {"converted": 1} and not calls.exists()
    assert rows(job)["moved.h5"]["output"] == rows(job)["a.h5"]["output"]


def test_a_program_that_crashes_is_tried_again(models, tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    monkeypatch.setenv("WEIGHBRIDGE_PROGRAM", program(tmp_path / "p", f"echo >> {calls}; kill -SEGV $$"))
    job = Conversion([str(models / "a.h5")], str(tmp_path / "out"), attempts=2)
    assert run(job).counts == {"crashed": 1}
    assert calls.read_text().count("\n") == 2
    assert "status -11" in rows(job)["a.h5"]["reason"]
    # The next run takes its row away and tries again.
    assert run(job)[:2] == (0, {"crashed": 1})
    assert calls.read_text().count("\n") == 4 and len(job.table()) == 1


def test_a_program_that_does_not_end_is_killed(models, tmp_path, monkeypatch):
    monkeypatch.setattr(_conversion, "_GRACE", 0.1)
    monkeypatch.setenv("WEIGHBRIDGE_PROGRAM", program(tmp_path / "p", "exec sleep 1000"))
    job = Conversion([str(models / "a.h5")], str(tmp_path / "out"), time_limit=0.1)
    assert run(job).counts == {"limit": 1}


@needs_program
@pytest.mark.parametrize("limits, text", [({"time_limit": 1e-6}, "seconds"), ({"memory_limit": "1K"}, "memory")])
def test_limits(models, tmp_path, limits, text):
    job = Conversion([str(models / "a.h5")], str(tmp_path / "out"), **limits)
    assert run(job).counts == {"limit": 1}
    assert text in rows(job)["a.h5"]["reason"]
    # With more, the next run can do it.
    assert run(Conversion([str(models / "a.h5")], str(tmp_path / "out"))).counts == {"converted": 1}
    assert len(job.table()) == 1


@needs_program
def test_options(models, tmp_path):
    options = {"metadata": {"author": "A. Author"}, "keras_version": "2.1.5"}
    job = Conversion([str(models / "a.h5")], str(tmp_path / "out"), options=options)
    assert run(job).counts == {"converted": 1}
    with weighbridge.open(rows(job)["a.h5"]["output"]) as model:
        assert model.metadata["author"] == "A. Author"


@pytest.mark.parametrize(
    "options",
    [{"colour": "red"}, {"strict": "yes"}, {"metadata": "x.json"}, {"input_shapes": "8"}, {"keras_version": 2}],
)
def test_wrong_options(models, tmp_path, options):
    with pytest.raises(weighbridge.ArgumentError, match=list(options)[0]):
        run(Conversion(str(models), str(tmp_path / "out"), options=options))
    assert not (tmp_path / "out").exists()


def test_results_of_another_job(job, models, tmp_path):
    job.claim()
    job.claim()
    other = Conversion(str(models), str(tmp_path / "out"), options={"strict": True})
    with pytest.raises(weighbridge.ArgumentError, match="differs in options: give another folder"):
        run(other)


def test_files_that_are_not_there(tmp_path, shapes):
    with pytest.raises(weighbridge.ModelError, match="cannot be listed"):
        run(PhotoIndex(str(tmp_path / "none"), str(tmp_path / "out"), str(shapes)))
    (tmp_path / "empty").mkdir()
    job = PhotoIndex(str(tmp_path / "empty"), str(tmp_path / "out"), str(shapes))
    assert run(job) == (0, {}, 0.0) and len(job.table()) == 0
    job = PhotoIndex([str(tmp_path / "none.png")], str(tmp_path / "out"), str(shapes), attempts=1)
    assert run(job).counts == {"unreadable": 1} and "none.png" in rows(job)["none.png"]["reason"]
    with pytest.raises(weighbridge.ModelError):
        run(PhotoIndex(["picture.png"], str(tmp_path / "other"), "none.wbm"))
    with pytest.raises(weighbridge.ArgumentError, match="nothing://"):
        run(PhotoIndex("nothing://photos", str(tmp_path / "other"), str(shapes)))


def test_a_program_that_is_not_there(job, monkeypatch):
    monkeypatch.setenv("WEIGHBRIDGE_PROGRAM", "/no/such/program")
    with pytest.raises(weighbridge.ModelError, match="WEIGHBRIDGE_PROGRAM"):
        run(job)


def test_indexing(tmp_path, shapes):
    content = pathlib.Path("picture.png").read_bytes()
    folder = tmp_path / "photos # 100%"
    folder.mkdir()
    (folder / "whole.PNG").write_bytes(content)
    (folder / "cut.png").write_bytes(content[:1000])
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "text.jpeg").write_text("no picture")
    job = PhotoIndex(str(folder), str(tmp_path / "out"), str(shapes), features="conv2d_6")
    assert run(job).counts == {"indexed": 1, "refused": 3}
    found = rows(job)
    assert all(found[name]["reason"] and found[name]["code"] for name in ("cut.png", "empty.jpg", "text.jpeg"))
    row = found["whole.PNG"]
    with weighbridge.open(shapes) as model, model.analyzer(features="conv2d_6") as analyzer:
        analysis = analyzer.analyze(content)
    assert row["features"] == analysis.features.tolist() and len(row["features"]) > 0
    assert [item["confidence"] for item in row["detections"]] == [
        item.confidence for item in analysis.detections
    ]
    assert [item["x"] for item in row["detections"]] == [item.box.x for item in analysis.detections]


@needs_program
def test_the_same_as_the_program_indexes(tmp_path, shapes):
    """What is in the database of `weighbridge index`: a digest of 16 bytes ends each record."""
    (tmp_path / "photos").mkdir()
    shutil.copy("picture.png", tmp_path / "photos")
    command = [_conversion._program(), "index", tmp_path / "photos", "--model", shapes, "-o", tmp_path / "a.db",
               "--features", "conv2d_6", "--quiet"]
    subprocess.run(command, check=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        (features,) = database.execute("SELECT record FROM features").fetchone()
        (identity,) = database.execute("SELECT value FROM settings WHERE key = 'identity'").fetchone()
        (digest,) = database.execute("SELECT digest FROM contents").fetchone()
    job = PhotoIndex(str(tmp_path / "photos"), str(tmp_path / "out"), str(shapes), features="conv2d_6")
    run(job)
    (row,) = job.table().to_pylist()
    assert row["features"] == numpy.frombuffer(features[:-16], "<f4").tolist()
    assert row["digest"] == digest.hex() and job.identity()["model and options"] == identity


def test_a_store_of_fsspec(tmp_path, shapes):
    memory = pytest.importorskip("fsspec", reason="fsspec is not installed").filesystem("memory")
    memory.pipe("/archive/photos/a.png", pathlib.Path("picture.png").read_bytes())
    memory.pipe("/archive/shapes.wbm", pathlib.Path(shapes).read_bytes())
    job = PhotoIndex("memory://archive/photos", "memory://archive/index", "memory://archive/shapes.wbm")
    assert run(job).counts == {"indexed": 1} and run(job).known == 1
    assert job.table().to_pylist()[0]["uri"] == "memory://archive/photos/a.png"
    given = PhotoIndex("/archive/photos", "/archive/other", str("/archive/shapes.wbm"), filesystem=memory)
    assert run(given).counts == {"indexed": 1}
    memory.rm("/archive", recursive=True)


def test_a_file_is_whole_or_not_there(tmp_path):
    class Broken:
        def read(self, size):
            raise OSError("the source is gone")

    store, place = Store(), str(tmp_path / "inner" / "file")
    store.write(place, b"first")
    with pytest.raises(OSError, match="gone"):
        store.write(place, Broken())
    assert store.read(place) == b"first" and os.listdir(tmp_path / "inner") == ["file"]


def test_what_engines_pass_on(job):
    batch = Batch("name", (Source("s3://a/ö.h5", 5, 1 << 60), Source("b", -1, 0)))
    assert Batch.from_text(batch.text()) == batch
    done = Done("name", {"converted": 2}, 1.5)
    assert Done.from_text(done.text()) == done
    assert pickle.loads(pickle.dumps(job)) == job
    assert [batch.name for batch in plan(job).batches] == [batch.name for batch in plan(job).batches]


def test_numbers_that_are_none(models, tmp_path):
    for wrong in ({"batch_size": 0}, {"attempts": 0}):
        with pytest.raises(weighbridge.ArgumentError, match="numbers from 1"):
            run(Conversion(str(models), str(tmp_path / "out"), **wrong))


@pytest.mark.parametrize("engine, name", [("ray", "ray"), ("spark", "pyspark")])
def test_an_engine_that_is_not_there(job, monkeypatch, engine, name):
    import importlib
    import sys

    module = importlib.import_module(f"weighbridge.{engine}")
    for installed in [key for key in sys.modules if key == name or key.startswith(name + ".")]:
        monkeypatch.delitem(sys.modules, installed)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=rf"pip install 'weighbridge\[{engine}\]'"):
        module.run(job)


@needs_program
def test_the_page(models, tmp_path):
    page = pathlib.Path(__file__).resolve().parents[1] / "MANY_MACHINES.md"
    block = page.read_text().split("```python\n")[1].split("```")[0]
    names = {}
    exec(compile(block, "MANY_MACHINES.md", "exec"), names)
    assert len(names["job"].table()) == 6
