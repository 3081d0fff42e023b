"""Jobs of `weighbridge.cluster` on a cluster of Spark.

    import weighbridge.cluster, weighbridge.spark

    job = weighbridge.cluster.Conversion("s3://models", "s3://converted")
    print(weighbridge.spark.run(job, spark))

A job goes through `mapInPandas`, a task for each batch. A worker process of Spark's opens the model once, for
all tasks that it gets. Spark runs a task again that fails, `spark.task.maxFailures` times.
"""

from __future__ import annotations

import pickle
from functools import lru_cache
from typing import Any, Iterator

from ._packages import package
from .cluster import Batch, Done, Job, Summary, Worker
from .cluster._job import plan, summary


@lru_cache(maxsize=1)
def _worker(job: bytes) -> Worker:
    """The worker of this process."""
    return Worker(pickle.loads(job))


def _work(job: bytes, frames: Iterator[Any]) -> Iterator[Any]:
    for frame in frames:
        texts = [_worker(job)(Batch.from_text(text)).text() for text in frame["batch"]]
        yield frame.assign(done=texts)[["done"]]


def run(job: Job, session: Any | None = None) -> Summary:
    """Runs a job on a Spark cluster.

    Args:
        job: What is to be done.
        session: The `pyspark.sql.SparkSession`; by default the one that is active, or one of this machine.

    Raises:
        ImportError: Spark or pandas is not installed.
        WeighbridgeError: As `weighbridge.cluster.run` does.
    """
    sql = package("pyspark.sql", "spark")
    package("pandas", "spark")
    batches, known = plan(job)
    if not batches:
        return summary(known, [])
    session = session or sql.SparkSession.builder.getOrCreate()
    pickled = pickle.dumps(job)

    def work(frames: Iterator[Any]) -> Iterator[Any]:
        return _work(pickled, frames)

    texts = session.sparkContext.parallelize([(batch.text(),) for batch in batches], len(batches))
    done = session.createDataFrame(texts, "batch string").mapInPandas(work, "done string")
    return summary(known, (Done.from_text(row.done) for row in done.collect()))
