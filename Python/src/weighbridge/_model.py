"""Models."""

from __future__ import annotations

import json
import os
import threading
import weakref
from ctypes import byref, c_size_t, c_uint64
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _library
from . import _marshal
from ._analyzer import Analyzer
from ._arrays import Port, port
from ._classifier import Classification, Classifier
from ._detector import Detection, Detector
from ._marshal import Path
from ._options import (
    analyze_options,
    classify_options,
    compact_options,
    compare_options,
    detect_options,
    export_options,
    read_options,
    run_options,
    stylize_options,
    verify_options,
    write_options,
)
from ._packages import package
from ._reports import Comparison, ExportReport, Report
from ._session import Session, close

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

    from ._options import (
        AnalyzeKeywords,
        ClassifyKeywords,
        CompactKeywords,
        CompareKeywords,
        DetectKeywords,
        ExportKeywords,
        ReadKeywords,
        RunKeywords,
        StylizeKeywords,
        Target,
        VerifyKeywords,
        WriteKeywords,
    )

    NDArray = numpy.ndarray[Any, Any]


class Model:
    """A trained model that is open; made by `weighbridge.open`.

    Several threads may use one model. `run` and `detect` then take turns; for runs side by side, open a
    `session` for each thread.

    >>> with weighbridge.open("sketch-classifier.h5") as model:
    ...     print(model.inputs[0].dtype, model.inputs[0].shape)
    float32 (None, 64, 64, 1)
    """

    def __init__(self, path: Path, **options: "Unpack[ReadKeywords]") -> None:
        self._set_up(
            _library.result_handle(
                "model_open", _library.encode(path, "path"), byref(read_options(**options))
            ),
            os.fspath(path),
        )

    def _set_up(self, handle: int, path: str) -> None:
        self._handle = handle
        self._finalizer = weakref.finalize(self, close, "model_close", self._handle)
        self._path = path
        inputs, outputs = c_size_t(), c_size_t()
        _library.call("model_counts", self._handle, byref(inputs), byref(outputs))
        #: What the model takes, in order.
        self.inputs: tuple[Port, ...] = self._ports("model_input", inputs.value)
        #: What the model gives, in order.
        self.outputs: tuple[Port, ...] = self._ports("model_output", outputs.value)
        self._turn = threading.Lock()
        self._session: Session | None = None
        self._prepared: dict[tuple[Any, ...], Any] = {}

    @classmethod
    def _of(cls, handle: int, path: str) -> "Model":
        """A model that the library has made."""
        model = cls.__new__(cls)
        model._set_up(handle, path)
        return model

    @property
    def handle(self) -> int:
        """The model's handle in the C interface."""
        return self._handle

    def _ports(self, name: str, count: int) -> tuple[Port, ...]:
        return tuple(port(array) for array in _library.ports(self._handle, name, count))

    def __repr__(self) -> str:
        return f"<weighbridge.Model {self._path!r}>"

    @property
    def metadata(self) -> dict[str, Any]:
        """The model's metadata, in the form of ``Schemas/metadata.schema.json``.

        >>> model = weighbridge.open("sketch-classifier.h5", metadata={"author": "A. Author"})
        >>> model.metadata["author"]
        'A. Author'
        """
        found: dict[str, Any] = json.loads(_library.result_text("model_metadata", self._handle))
        return found

    def run(
        self,
        inputs: "Mapping[str, NDArray] | NDArray",
        out: "Mapping[str, NDArray] | None" = None,
    ) -> "dict[str, NDArray]":
        """Computes the model's outputs, without copies in or out; see `Session.run`.

        Args:
            inputs: An array for each input, by name; of a model with one input, the array alone will do.
            out: Arrays for outputs, by name, to be filled; the others are made.

        Returns:
            An array for each output, by name.

        >>> model = weighbridge.open("sketch-classifier.h5")
        >>> sketch = numpy.load("input.npy")
        >>> scores = model.run({model.inputs[0].name: sketch})[model.outputs[0].name]
        >>> scores.shape, round(float(scores.sum()), 3)
        ((1, 8), 1.0)
        """
        if not isinstance(inputs, Mapping):
            inputs = {self.inputs[0].name: inputs}
        with self._turn:
            if self._session is None:
                self._session = self.session()
            return self._session.run(inputs, out)

    def session(self, **options: "Unpack[RunKeywords]") -> Session:
        """Prepares the model for many runs.

        Args:
            options: ``engine`` (``"cpu"``, the default, or ``"reference"``, which is slow and defines the
                correct results), ``threads`` (one for each processor by default) and ``memory_limit``
                (the most bytes that activations may take).
        """
        return Session(
            self._handle, self.inputs, self.outputs, run_options(**options), self._optional_inputs
        )

    def _optional_inputs(self) -> frozenset[str]:
        """The names of inputs that a run may leave out."""
        return frozenset(
            feature["name"] for feature in self.metadata["inputs"] if "default" in feature
        )

    def verify(
        self, against: Path | None = None, **options: "Unpack[VerifyKeywords]"
    ) -> Report:
        """Checks that the file is whole and computes what it should.

        Args:
            against: The original file to compare with.
            options: ``tolerance``, how far outputs may be from the expected ones: by the first number, plus
                the second times the largest magnitude of the expected output; ``layers``, whether layers
                are compared too; ``reference_inputs`` and ``reference_outputs``, files of arrays to compare
                with; ``evaluation``, inputs on which the stated error of a compacted model is measured anew,
                against the original; how the original file is read, as for `weighbridge.open`; how the model is run, as for
                `session`.

        >>> report = weighbridge.open("sketch-classifier.h5").verify()
        >>> report.passed, report.checks[0].name
        (True, 'container')
        """
        made = verify_options(against, **options)
        return Report.from_json(_library.result_text("model_verify", self._handle, byref(made)))

    def export(
        self, path: Path, target: "Target | None" = None, **options: "Unpack[ExportKeywords]"
    ) -> ExportReport:
        """Writes the model in another tool's format; nothing is written unless all of it can be.

        Args:
            path: Where the file goes; files that belong to it are written beside it.
            target: The format; inferred from the path by default.
            options: Those of the format, such as ``opset`` or ``precision``, and ``no_clobber``. An option
                that does not apply to the format is an error.

        >>> model = weighbridge.open("sketch-classifier.h5")
        >>> model.export("sketches.onnx", opset=17).files
        ('sketches.onnx',)
        """
        made = export_options(target, **options)
        report = _library.result_text(
            "model_export", self._handle, _library.encode(path, "path"), byref(made)
        )
        return ExportReport.from_json(report)

    def write(self, path: Path, **options: "Unpack[WriteKeywords]") -> None:
        """Writes the model as a ``.wbm`` file, which appears only when it is complete.

        Args:
            path: Where the file goes.
            options: ``no_clobber``, whether an existing file is an error.
        """
        made = write_options(**options)
        _library.call("model_write", self._handle, _library.encode(path, "path"), byref(made))

    def detector(self, **options: "Unpack[DetectKeywords]") -> Detector:
        """Prepares the model, which must be a detector, for many images.

        Args:
            options: ``confidence_threshold``, above which an object counts; ``iou_threshold``, the overlap
                above which boxes suppress each other; ``suppression``, ``resize`` and ``resampling``; by
                default the model's own. How the model is run, as for `session`.
        """
        return Detector(self._handle, detect_options(**options))

    def detect(
        self, image: "Path | NDArray", **options: "Unpack[DetectKeywords]"
    ) -> list[Detection]:
        """Finds objects in an image: the path of a JPEG or PNG file, or an RGB array,
        uint8 [height, width, 3]. The options are those of `detector`; one detector is kept for each
        combination of them.
        """
        with self._turn:
            key = ("detector", *sorted(options.items()))
            if key not in self._prepared:
                self._prepared[key] = self.detector(**options)
            found: list[Detection] = self._prepared[key].detect(image)
            return found

    def classifier(self, **options: "Unpack[ClassifyKeywords]") -> Classifier:
        """Prepares the model, which must be a classifier, for many images.

        Args:
            options: ``top``, the most classes of an image; ``threshold``, the probability above which a class
                counts; ``scores``, ``resize`` and ``resampling``; by default the model's own. How the model is
                run, as for `session`.
        """
        return Classifier(self._handle, classify_options(**options))

    def classify(
        self, image: "Path | NDArray", **options: "Unpack[ClassifyKeywords]"
    ) -> list[Classification]:
        """Finds the classes of an image: the path of a JPEG or PNG file, or an RGB array,
        uint8 [height, width, 3]. The options are those of `classifier`; one classifier is kept for each
        combination of them.
        """
        with self._turn:
            key = ("classifier", *sorted(options.items()))
            if key not in self._prepared:
                self._prepared[key] = self.classifier(**options)
            found: list[Classification] = self._prepared[key].classify(image)
            return found

    def cut(
        self, outputs: Sequence[str], inputs: Sequence[str] = (), **options: "Unpack[RunKeywords]"
    ) -> "Model":
        """A part of the model as a model.

        Args:
            outputs: The layers or outputs whose results the part gives.
            inputs: The layers or inputs whose results it takes; by default the inputs that it needs.
            options: How missing reference arrays are computed, as for `session`.

        >>> model = weighbridge.open("sketch-classifier.h5")
        >>> model.cut(["dense_1"]).outputs[0].name
        'dense_1'
        """
        ends, starts = _marshal.texts(outputs, "outputs"), _marshal.texts(inputs, "inputs")
        made = run_options(**options)
        handle = _library.result_handle("model_cut", self._handle, *ends, *starts, byref(made))
        return Model._of(handle, self._path)

    def compact(self, **options: "Unpack[CompactKeywords]") -> "Model":
        """The same model with its weights in a smaller form. Without a budget nothing is lost.

        Args:
            options: At most one budget: ``max_error``, ``max_size``, ``keep_answers`` or ``encoding``;
                ``activations``; ``calibration`` and ``evaluation``, files to decide by and to measure on;
                ``fold_batch_norm`` and ``proof``; how the model is run, as for `session`.

        >>> weighbridge.open("sketch-classifier.h5").compact(encoding="int8").write("small.wbm")
        >>> os.path.getsize("small.wbm") < os.path.getsize("sketch-classifier.h5") / 2
        True
        """
        made = compact_options(**options)
        handle = _library.result_handle("model_compact", self._handle, byref(made))
        return Model._of(handle, self._path)

    def compare(self, other: "Model", **options: "Unpack[CompareKeywords]") -> Comparison:
        """Compares the model with another one: structure, weights and metadata.

        Args:
            other: The other model.
            options: ``names``, whether layers are paired by name; ``inputs``, a file of arrays on which both
                are run; ``tolerance`` of their outputs, as for `verify`; how they are run, as for `session`.

        >>> model = weighbridge.open("sketch-classifier.h5")
        >>> model.compare(weighbridge.open("sketch-classifier.h5")).same
        True
        """
        made = compare_options(**options)
        return Comparison.from_json(
            _library.result_text("model_compare", self._handle, c_uint64(other.handle), byref(made))
        )

    def stylize(self, image: Path, output: Path, **options: "Unpack[StylizeKeywords]") -> None:
        """Transforms an image with a model that takes an image and gives one.

        Args:
            image: A JPEG or PNG file.
            output: Where the new image goes, .png or .jpg.
            options: ``output_scale`` and ``output_bias``, ``tile`` and ``overlap``, ``resize`` and
                ``resampling``; by default the model's own. How the model is run, as for `session`.
        """
        made = stylize_options(**options)
        _library.call(
            "model_stylize", self._handle, _library.encode(image, "image"),
            _library.encode(output, "output"), byref(made),
        )

    def swift_interface(self, name: str, bundled: str | None = None) -> str:
        """A typed interface of the model in Swift.

        Args:
            name: The class's name.
            bundled: The name of the model's file in the target's bundle.

        >>> code = weighbridge.open("shapes.wbm").swift_interface("Shapes")
        >>> "class Shapes" in code
        True
        """
        texts = [_library.encode(name, "name"), bundled and _library.encode(bundled, "bundled")]
        return _library.result_text("model_swift", self._handle, *texts)

    def analyzer(self, **options: "Unpack[AnalyzeKeywords]") -> Analyzer:
        """Prepares the model for analyzing many images (detections and features), as
        ``weighbridge index`` does.

        Args:
            options: ``features``, the output or layer whose numbers are the features, by default the only
                output of a model that is not a detector; and the options of `detector`.

        >>> model = weighbridge.open("shapes.wbm")
        >>> analysis = model.analyzer(features="conv2d_6").analyze("picture.png")
        >>> analysis.width, analysis.detections[0].label, analysis.features.dtype
        (88, 'ellipse', dtype('float32'))
        """
        return Analyzer(self._handle, analyze_options(**options))

    def to_keras(self) -> Any:
        """The model as one of Keras 3, which must be installed."""
        return self._through("model.keras", package("keras").models.load_model)

    def to_onnx(self, **options: "Unpack[ExportKeywords]") -> Any:
        """The model as an `onnx.ModelProto`; the package onnx must be installed.

        Args:
            options: As for `export`.
        """
        return self._through("model.onnx", package("onnx").load, **options)

    def _through(self, name: str, load: Any, **options: "Unpack[ExportKeywords]") -> Any:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            self.export(path, **options)
            return load(path)

    def close(self) -> None:
        """Closes the model and what `run` and `detect` have opened; closing it again does nothing.

        Raises:
            StateError: A run is under way in another thread: wait for it, or cancel it.
        """
        if self._session is not None:
            self._session.close()
        for prepared in self._prepared.values():
            prepared.close()
        if self._finalizer.alive:
            _library.call("model_close", self._handle)
            self._finalizer.detach()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
