"""What the tests of jobs on clusters share: 2,000 models, 5,000 photos, and what one process makes of them."""

import os

import material
import pytest

import weighbridge.cluster

MODELS, PHOTOS = 2000, 5000

#: A layer of the shape detector whose numbers are used as features.
FEATURES = "conv2d_7"


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    material.write_models(folder, MODELS)
    return folder


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photos")
    material.write_photos(folder, PHOTOS)
    return folder


@pytest.fixture(scope="session")
def photo_job(photos, shapes, tmp_path_factory):
    """Makes the job of indexing the photos, into a folder of its own."""

    def make(name):
        output = tmp_path_factory.mktemp(name) / "index"
        return weighbridge.cluster.PhotoIndex(
            str(photos), str(output), str(shapes), features=FEATURES, batch_size=50
        )

    return make


@pytest.fixture(scope="session")
def single_run(photo_job):
    """What one process says of the photos."""
    job = photo_job("single")
    weighbridge.cluster.run(job)
    return job.table()


def check_conversions(job):
    """Every model has one row; those that are whole are converted and verified, the others have reasons."""
    rows = job.table().to_pylist()
    assert len(rows) == MODELS
    assert len({row["uri"] for row in rows}) == MODELS
    for row in rows:
        number = int(row["uri"][-8:-3])
        if material.is_broken(number):
            assert row["status"] == "refused" and row["reason"] and row["output"] is None, row
        else:
            assert row["status"] == "converted", row
            names = {check["name"]: check["status"] for check in row["checks"]}
            assert names["source"] == names["container"] == names["engines"] == "passed"
            assert os.path.getsize(row["output"]) == row["output_size"]
    # Each content is converted once, and nothing else is left behind.
    digests = {row["digest"] for row in rows if row["status"] == "converted"}
    assert sorted(os.listdir(os.path.join(job.output, "models"))) == sorted(f"{name}.wbm" for name in digests)
    return rows


def parts(job):
    """The parts of the table that are there so far."""
    folder = os.path.join(job.output, "rows")
    return [name for name in os.listdir(folder) if name.endswith(".parquet")] if os.path.isdir(folder) else []
