"""Running a model again and again."""

from __future__ import annotations

import json
import weakref
from ctypes import byref, c_int64, c_uint64, memmove, sizeof
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Sequence

from . import _library, _structs
from ._arrays import ELEMENT_TYPES, Port, address, check, numpy_type
from ._errors import make_error

if TYPE_CHECKING:
    import numpy

    NDArray = numpy.ndarray[Any, Any]


def close(name: str, handle: int) -> None:
    """Closes a handle when Python gives its object up; what cannot be closed stays."""
    getattr(_library.library(), name)(c_uint64(handle), None)


class LayerTime(NamedTuple):
    """How long a layer of a run took.

    Attributes:
        name: The layer.
        operator: What it computes.
        fused: The layers that were computed with it.
        kernel: The kernel that computed it.
        milliseconds: How long that took.
        operations: The floating-point operations of it and of those that were computed with it.
    """

    name: str
    operator: str
    fused: tuple[str, ...]
    kernel: str
    milliseconds: float
    operations: int


class Profile(NamedTuple):
    """How long a run took.

    Attributes:
        milliseconds: The time of all layers.
        layers: The time of each layer, the slowest first.
        activation_bytes: The memory of activations; None where it is not planned.
        activation_bytes_at_least: The least that any plan could take.
    """

    milliseconds: float
    layers: tuple[LayerTime, ...]
    activation_bytes: int | None
    activation_bytes_at_least: int | None


class Session:
    """A model that is ready to run again and again.

    The engine works on the memory of the arrays: nothing is copied on the way in or out, except for what
    it holds in another type (float16, bfloat16) and outputs whose shape is known only after a run. While
    it works, other threads of Python go on. A session is for one thread at a time; open one for each
    thread. Ctrl-C stops a run with KeyboardInterrupt.

    >>> model = weighbridge.open("sketch-classifier.h5")
    >>> with model.session(threads=1) as session:
    ...     outputs = session.run({model.inputs[0].name: numpy.load("input.npy")})
    >>> [array.shape for array in outputs.values()]
    [(1, 8)]
    """

    def __init__(
        self,
        model: int,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        options: "_structs.RunOptions",
        optional: Callable[[], frozenset[str]],
    ) -> None:
        self._handle = _library.result_handle("session_open", c_uint64(model), byref(options))
        self._finalizer = weakref.finalize(self, close, "session_close", self._handle)
        self._options = options  # with the function that the library asks
        self._ports = tuple(inputs)
        self._output_ports = tuple(outputs)
        self._optional = optional
        self._names = frozenset(port.name for port in inputs)
        self._types = [numpy_type(port.dtype) for port in inputs]
        self._output_types = [numpy_type(port.dtype) for port in outputs]
        self._words = [(f"the input {port.name}", text(port)) for port in inputs]
        self._inputs = self._structs(inputs)
        self._outputs = self._structs(outputs)
        self._shapes: list[tuple[int, ...]] = []
        #: The shapes of the outputs; None for those that are known only after a run.
        self._output_shapes: list[tuple[int, ...] | None] = []
        self._was_cancelled = False
        self._error = _library.make(_library.ErrorStruct)
        self._function = _library.library().session_run

    @staticmethod
    def _structs(ports: Sequence[Port]) -> Any:
        structs = (_library.Array * len(ports))()
        for struct, port in zip(structs, ports):
            struct.struct_size = sizeof(_library.Array)
            struct.element_type = ELEMENT_TYPES.index(port.dtype)
        return structs

    def run(
        self, inputs: "Mapping[str, NDArray]", out: "Mapping[str, NDArray] | None" = None
    ) -> "dict[str, NDArray]":
        """Computes the model's outputs.

        Args:
            inputs: An array for each input, by name: of its number type, contiguous. They are only read. An
                input with a ``default`` in the model's metadata may be left out.
            out: Arrays for outputs, by name, to be filled; the others are made.

        Returns:
            An array for each output, by name.

        Raises:
            ArgumentError: An array is missing, surplus, or not as the model takes it.
            StateError: The session is closed or at work, the process was forked, a limit was reached, or
                the run was cancelled.
        """
        self._fill(inputs)
        arrays = self._make(out)
        self._was_cancelled = False
        status = self._function(
            self._handle, self._inputs, len(self._inputs), self._outputs, len(self._outputs),
            byref(self._error),
        )
        if status:
            _library.raise_error(status, self._error, self._was_cancelled)
        return {
            port.name: self._copy(number) if array is None else array
            for number, (port, array) in enumerate(zip(self._output_ports, arrays))
        }

    def profile(self, inputs: "Mapping[str, NDArray]") -> Profile:
        """Computes the model's outputs once, and says how long each layer took. The first run of a session
        also prepares weights, so run it once before.

        Args:
            inputs: As those of `run`.
        """
        self._fill(inputs)
        self._was_cancelled = False
        found = json.loads(
            _library.result_text("session_profile", self._handle, self._inputs, len(self._inputs)))
        layers = tuple(
            LayerTime(
                layer["name"], layer["operator"], tuple(layer["fused"]), layer["kernel"], layer["ms"],
                layer["operations"])
            for layer in found["layers"])
        return Profile(
            found["total_ms"], layers, found["activation_bytes"], found["activation_bytes_at_least"])

    def _fill(self, inputs: "Mapping[str, NDArray]") -> None:
        missing = self._names.difference(inputs)
        if not self._names.issuperset(inputs) or missing and not self._optional().issuperset(missing):
            raise make_error(
                "mismatch",
                f"the inputs are {', '.join(map(str, inputs)) or 'none'}, and the model takes "
                + ", ".join(f"{port.name} {text(port)}" for port in self._ports),
            )
        shapes = []
        for port, struct, dtype, words in zip(self._ports, self._inputs, self._types, self._words):
            if port.name in missing:
                struct.data, struct.byte_count = None, 0
                shapes.append(tuple(size or 0 for size in port.shape))  # they are all known
                continue
            array = inputs[port.name]
            check(array, words[0], dtype, words[1])
            struct.data = address(array)
            struct.byte_count = array.nbytes
            shapes.append(array.shape)
        if shapes != self._shapes:
            self._prepare(shapes)

    def _prepare(self, shapes: list[tuple[int, ...]]) -> None:
        """Tells the library the shapes of inputs, and finds out those of the outputs."""
        self._shapes = []
        for struct, shape in zip(self._inputs, shapes):
            _set_shape(struct, shape)
        _library.call(
            "session_outputs", self._handle, self._inputs, len(self._inputs), self._outputs,
            len(self._outputs),
        )
        self._output_shapes = []
        for struct in self._outputs:
            known = tuple(struct.shape[: struct.rank]) if struct.rank >= 0 else None
            self._output_shapes.append(known)
            # The library's memory goes with the next call.
            _set_shape(struct, known or ())
        self._shapes = shapes

    def _make(self, out: "Mapping[str, NDArray] | None") -> "list[NDArray | None]":
        """The arrays for the outputs; None for those whose shape is not known."""
        import numpy

        given = dict(out or {})
        arrays: "list[NDArray | None]" = []
        for number, port in enumerate(self._output_ports):
            dtype, shape = self._output_types[number], self._output_shapes[number]
            array = given.pop(port.name, None)
            if array is not None:
                words = f"the array for the output {port.name}"
                check(array, words, dtype, text(port), is_written=True)
                if shape is not None and array.shape != shape:
                    raise make_error(
                        "mismatch",
                        f"the output {port.name} has the shape {shape}, and the array for it "
                        f"{array.shape}; give numpy.empty({shape}, {dtype.name!r})",
                    )
            elif shape is not None:
                array = numpy.empty(shape, dtype)
            struct = self._outputs[number]
            struct.data = None if array is None else address(array)
            if array is not None:
                struct.byte_count = array.nbytes
                if shape is None:
                    _set_shape(struct, array.shape)
            arrays.append(array)
        if given:
            names = ", ".join(port.name for port in self._output_ports)
            raise make_error("mismatch", f"there is no output {', '.join(given)}; there is {names}")
        return arrays

    def _copy(self, number: int) -> "NDArray":
        """An output that the library has in memory of its own."""
        import numpy

        struct = self._outputs[number]
        array = numpy.empty(tuple(struct.shape[: struct.rank]), self._output_types[number])
        memmove(address(array), struct.data, array.nbytes)
        struct.data = None
        return array

    def cancel(self) -> None:
        """Stops the run that is under way in another thread, which raises StateError there."""
        self._was_cancelled = True
        _library.call("session_cancel", self._handle)

    def close(self) -> None:
        """Closes the session; closing it again does nothing.

        Raises:
            StateError: It is at work in another thread: cancel that, and wait for it.
        """
        if self._finalizer.alive:
            _library.call("session_close", self._handle)
            self._finalizer.detach()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def text(port: Port) -> str:
    """A type and shape in words."""
    sizes = ", ".join("?" if size is None else str(size) for size in port.shape)
    return f"{port.dtype} [{sizes}]"


def _set_shape(struct: "_library.Array", shape: tuple[int, ...]) -> None:
    struct.rank = len(shape)
    struct.shape = (c_int64 * len(shape))(*shape)
