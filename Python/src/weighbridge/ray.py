"""Jobs of `weighbridge.cluster` on a cluster of Ray.

    import ray, weighbridge.cluster, weighbridge.ray

    ray.init("auto")
    job = weighbridge.cluster.PhotoIndex("s3://photos/2026", "s3://index/2026", "s3://models/yolo.wbm")
    print(weighbridge.ray.run(job))

A job goes through Ray Data's `map_batches`, with actors that open the model once and take a processor each.
When a node or an actor is lost, Ray has others do what it was at.
"""

from __future__ import annotations

from typing import Any

from ._packages import package
from .cluster import Batch, Done, Job, Summary, Worker
from .cluster._job import plan, summary


class _Actor:
    """A worker as Ray Data calls it."""

    def __init__(self, job: Job) -> None:
        self._worker = Worker(job)

    def __call__(self, batches: dict[str, Any]) -> dict[str, list[str]]:
        return {"done": [self._worker(Batch.from_text(text)).text() for text in batches["batch"]]}


def run(
    job: Job, *, actors: int | tuple[int, int] | None = None, num_cpus: float = 1
) -> Summary:
    """Runs a job on the cluster that `ray.init` has joined, or on this machine.

    Args:
        job: What is to be done.
        actors: How many actors work at once, or how few and how many; by default from one to one for each
            processor of the cluster.
        num_cpus: How many processors an actor is counted as.

    Raises:
        ImportError: Ray is not installed.
        WeighbridgeError: As `weighbridge.cluster.run` does.
    """
    ray, data = package("ray", "ray"), package("ray.data", "ray")
    batches, known = plan(job)
    if not batches:
        return summary(known, [])
    if not ray.is_initialized():
        ray.init()
    most = max(1, int(ray.cluster_resources().get("CPU", 1) / num_cpus))
    items = [{"batch": batch.text()} for batch in batches]
    # A block for each batch: what is lost with a node is one batch for each of its actors.
    done = data.from_items(items, override_num_blocks=len(items)).map_batches(
        _Actor, fn_constructor_args=(job,), batch_size=None, num_cpus=num_cpus,
        concurrency=actors or (1, most),
    )
    return summary(known, (Done.from_text(row["done"]) for row in done.iter_rows()))
