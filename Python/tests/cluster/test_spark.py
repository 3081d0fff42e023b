"""Jobs on a local Spark with two workers, of which one is killed."""

import os
import signal
import sys
import threading
import time

import pytest

import weighbridge.cluster
import weighbridge.spark
from conftest import check_conversions, parts

sql = pytest.importorskip("pyspark.sql")


@pytest.fixture(scope="module")
def session():
    """Two workers, by this interpreter; a task that fails is run again."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    session = (
        sql.SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
        .getOrCreate()
    )
    yield session
    session.stop()
    patch.undo()


def workers(root):
    """The processes that Spark's daemon of Python has started, as /proc tells."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()
            command = open(f"/proc/{name}/cmdline").read()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append((int(name), command))
    found, waiting = [], [root]
    while waiting:
        for process, command in children.get(waiting.pop(), []):
            waiting.append(process)
            found.append((process, command))
    daemons = [process for process, command in found if "pyspark.daemon" in command]
    return [process for daemon in daemons for process, _ in children.get(daemon, [])]


def kill_when(job, count):
    """Kills a worker as soon as so many parts of the table are there."""
    killed = []

    def wait_and_kill():
        while len(parts(job)) < count or not workers(os.getpid()):
            time.sleep(0.01)
        killed.append(workers(os.getpid())[0])
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    return thread, killed


def test_converting(session, models, tmp_path):
    job = weighbridge.cluster.Conversion(str(models), str(tmp_path / "out"), batch_size=20)
    summary = weighbridge.spark.run(job, session)
    assert summary.known == 0 and summary.counts == {"converted": 1960, "refused": 40}
    check_conversions(job)
    assert weighbridge.spark.run(job, session).known == 2000


def test_indexing_while_a_worker_is_killed(session, photo_job, single_run):
    job = photo_job("spark")
    killer, killed = kill_when(job, 10)
    summary = weighbridge.spark.run(job, session)
    killer.join()
    assert killed
    assert summary.counts == {"indexed": 4950, "refused": 50}
    assert job.table().equals(single_run)
