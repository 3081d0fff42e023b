"""Jobs on a cluster of two nodes of Ray, of which one is killed."""

import threading
import time

import pytest

import weighbridge.cluster
import weighbridge.ray
from conftest import check_conversions, parts

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")


@pytest.fixture
def cluster(monkeypatch):
    """A cluster of two nodes with room for one actor each: there is none for those of a node that is lost."""
    # Of itself Ray gives way to every other program, which on a busy machine takes a test's whole time.
    monkeypatch.setenv("RAY_worker_niceness", "0")
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def has_actor(node):
    """Whether an actor is at work on a node."""
    actors = ray._private.state.actors().values()
    return any(actor["State"] == "ALIVE" and actor["Address"]["NodeID"] == node for actor in actors)


def kill_when(cluster, job, count):
    """Kills the second node as soon as so many parts of the table are there and an actor works on it."""

    def wait_and_kill():
        while len(parts(job)) < count or not has_actor(cluster.second.node_id):
            time.sleep(0.01)
        cluster.remove_node(cluster.second, allow_graceful=False)

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    return thread


def test_converting_while_a_node_is_killed(cluster, models, tmp_path):
    job = weighbridge.cluster.Conversion(str(models), str(tmp_path / "out"), batch_size=20)
    killer = kill_when(cluster, job, 20)
    summary = weighbridge.ray.run(job, actors=2)
    killer.join()
    assert len(ray.nodes()) == 2 and sum(node["Alive"] for node in ray.nodes()) == 1
    assert summary.known == 0 and summary.counts == {"converted": 1960, "refused": 40}
    check_conversions(job)
    assert weighbridge.ray.run(job).known == 2000


def test_indexing_while_a_node_is_killed(cluster, photo_job, single_run):
    job = photo_job("ray")
    killer = kill_when(cluster, job, 20)
    summary = weighbridge.ray.run(job, actors=2)
    killer.join()
    assert sum(node["Alive"] for node in ray.nodes()) == 1
    assert summary.counts == {"indexed": 4950, "refused": 50}
    assert job.table().equals(single_run)


def test_a_job_that_cannot_begin(cluster, tmp_path, shapes):
    job = weighbridge.cluster.PhotoIndex(str(tmp_path), str(tmp_path / "out"), str(shapes), features="nobody")
    with pytest.raises(weighbridge.ArgumentError, match="nobody"):
        weighbridge.ray.run(job)
