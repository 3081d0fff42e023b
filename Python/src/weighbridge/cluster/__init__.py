"""Thousands of models and millions of photos: what is to be done, whatever runs it.

A job says what is to be done: `Conversion` makes verified ``.wbm`` files of models, `PhotoIndex` says of
photos what is in them and what they are like. `run` does it in this process, `weighbridge.ray.run` on a
cluster of Ray, `weighbridge.spark.run` on one of Spark. The results are the same: a folder with a table of
Parquet files, one row for each file, in which one that is broken has its reason.

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
