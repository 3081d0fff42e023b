"""An object store: moto's server of S3, on this machine."""

import uuid

import material
import pytest

import weighbridge.cluster

boto3 = pytest.importorskip("boto3")
server = pytest.importorskip("moto.server")


class Bucket:
    """A bucket by its name: a process keeps the connection to it, so each test has its own."""

    def __init__(self, client, name):
        self.client, self.name, self.uri = client, name, f"s3://{name}"
        client.create_bucket(Bucket=name)

    def put(self, folder):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.client.upload_file(str(path), self.name, f"in/{path.relative_to(folder)}")

    def keys(self, prefix):
        found = self.client.list_objects_v2(Bucket=self.name, Prefix=prefix)["Contents"]
        return [item["Key"] for item in found]


@pytest.fixture
def bucket(monkeypatch):
    """A bucket, in the environment that pyarrow looks at."""
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    address = "http://{}:{}".format(*running.get_host_and_port())
    for name, value in {
        "AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": address,
    }.items():
        monkeypatch.setenv(name, value)
    yield Bucket(boto3.client("s3", endpoint_url=address), f"archive-{uuid.uuid4().hex}")
    running.stop()


def test_converting_in_a_bucket(bucket, tmp_path):
    material.write_models(tmp_path / "models", 30)
    bucket.put(tmp_path / "models")
    job = weighbridge.cluster.Conversion(f"{bucket.uri}/in", f"{bucket.uri}/out", batch_size=7)
    assert weighbridge.cluster.run(job).counts == {"converted": 29, "refused": 1}
    assert len(bucket.keys("out/models/")) == 29 and len(bucket.keys("out/rows/")) == 5
    row = job.table().to_pylist()[0]
    assert row["uri"] == f"{bucket.uri}/in/0/model-00000.h5"
    key = row["output"][len(bucket.uri) + 1 :]
    bucket.client.download_file(bucket.name, key, str(tmp_path / "a.wbm"))
    with weighbridge.open(tmp_path / "a.wbm") as model:
        assert model.verify(against=tmp_path / "models/0/model-00000.h5").passed
    assert weighbridge.cluster.run(job) == (30, {}, 0.0)


def test_indexing_a_bucket(bucket, tmp_path, shapes):
    material.write_photos(tmp_path / "photos", 60)
    bucket.put(tmp_path / "photos")
    bucket.client.upload_file(str(shapes), bucket.name, "shapes.wbm")
    job = weighbridge.cluster.PhotoIndex(
        f"{bucket.uri}/in", f"{bucket.uri}/index", f"{bucket.uri}/shapes.wbm"
    )
    assert weighbridge.cluster.run(job).counts == {"indexed": 59, "refused": 1}
    here = weighbridge.cluster.PhotoIndex(str(tmp_path / "photos"), str(tmp_path / "index"), str(shapes))
    weighbridge.cluster.run(here)
    columns = ["digest", "status", "detections", "width", "height"]
    assert job.table().select(columns).equals(here.table().select(columns))


def test_a_bucket_that_is_not_there(bucket, tmp_path):
    with pytest.raises(weighbridge.ModelError, match="cannot be listed"):
        weighbridge.cluster.run(weighbridge.cluster.Conversion("s3://nobody/in", str(tmp_path / "out")))


def test_an_object_that_is_not_there(bucket, tmp_path):
    job = weighbridge.cluster.Conversion([f"{bucket.uri}/in/none.h5"], str(tmp_path / "out"), attempts=1)
    assert weighbridge.cluster.run(job).counts == {"unreadable": 1}
