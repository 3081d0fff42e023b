"""An object store: moto's server of S3, on this machine."""

import material
import pytest

import weighbridge.cluster

boto3 = pytest.importorskip("boto3")
server = pytest.importorskip("moto.server")


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
    client = boto3.client("s3", endpoint_url=address)
    client.create_bucket(Bucket="archive")
    yield client
    running.stop()


def put(client, folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            client.put_object(Bucket="archive", Key=f"in/{path.relative_to(folder)}", Body=path.read_bytes())


def keys(client, prefix):
    return [item["Key"] for item in client.list_objects_v2(Bucket="archive", Prefix=prefix)["Contents"]]


def test_converting_in_a_bucket(bucket, tmp_path):
    material.write_models(tmp_path / "models", 30)
    put(bucket, tmp_path / "models")
    job = weighbridge.cluster.Conversion("s3://archive/in", "s3://archive/out", batch_size=7)
    assert weighbridge.cluster.run(job).counts == {"converted": 29, "refused": 1}
    assert len(keys(bucket, "out/models/")) == 29 and len(keys(bucket, "out/rows/")) == 5
    row = job.table().to_pylist()[0]
    assert row["uri"] == "s3://archive/in/0/model-00000.h5"
    bucket.download_file("archive", row["output"][len("s3://archive/") :], str(tmp_path / "a.wbm"))
    with weighbridge.open(tmp_path / "a.wbm") as model:
        assert model.verify(against=tmp_path / "models/0/model-00000.h5").passed
    assert weighbridge.cluster.run(job) == (30, {}, 0.0)


def test_indexing_a_bucket(bucket, tmp_path, shapes):
    material.write_photos(tmp_path / "photos", 60)
    put(bucket, tmp_path / "photos")
    bucket.upload_file(str(shapes), "archive", "shapes.wbm")
    job = weighbridge.cluster.PhotoIndex("s3://archive/in", "s3://archive/index", "s3://archive/shapes.wbm")
    assert weighbridge.cluster.run(job).counts == {"indexed": 59, "refused": 1}
    here = weighbridge.cluster.PhotoIndex(str(tmp_path / "photos"), str(tmp_path / "index"), str(shapes))
    weighbridge.cluster.run(here)
    columns = ["digest", "status", "detections", "width", "height"]
    assert job.table().select(columns).equals(here.table().select(columns))


def test_a_bucket_that_is_not_there(bucket, tmp_path):
    with pytest.raises(weighbridge.ModelError, match="cannot be listed"):
        weighbridge.cluster.run(weighbridge.cluster.Conversion("s3://nobody/in", str(tmp_path / "out")))


def test_an_object_that_is_not_there(bucket, tmp_path):
    job = weighbridge.cluster.Conversion(["s3://archive/in/none.h5"], str(tmp_path / "out"), attempts=1)
    assert weighbridge.cluster.run(job).counts == {"unreadable": 1}
