"""Jobs over thousands of models or millions of photos, on one machine or a cluster.

A job is a `Conversion`, which converts models to verified ``.wbm`` files, or a `PhotoIndex`, which detects
objects in photos and computes their features. `run` runs it in this process, `weighbridge.ray.run` on a Ray
cluster, `weighbridge.spark.run` on a Spark cluster. The results are the same: a folder with a table in
Parquet files, with one row for each file; the row of a file that failed has the reason.

>>> import weighbridge.cluster
>>> job = weighbridge.cluster.Conversion(["sketch-classifier.h5", "picture.png"], "converted")
>>> weighbridge.cluster.run(job).counts
{'converted': 1, 'refused': 1}
>>> [row["reason"] for row in job.table().to_pylist() if row["status"] == "refused"][0][:27]
'picture.png: is a PNG image'

The job can be run again at any time, by any of the three: what is in the table is not done again.

>>> weighbridge.cluster.run(job).known
2
"""

from __future__ import annotations

try:
    import pyarrow as _pyarrow  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"weighbridge.cluster needs pyarrow ({error}); install it: pip install 'weighbridge[cluster]'"
    ) from error

from ._conversion import Conversion
from ._job import Batch, Done, Job, Summary, Worker, run
from ._photos import PhotoIndex
from ._stores import Source, Store

__all__ = [
    "Batch",
    "Conversion",
    "Done",
    "Job",
    "PhotoIndex",
    "Source",
    "Store",
    "Summary",
    "Worker",
    "run",
]
