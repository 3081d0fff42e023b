"""The frameworks behind one interface: Keras 3, TensorFlow's Keras, and Keras 2 of its own."""

import gc
import inspect
import json
import os
import re
import warnings
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
warnings.filterwarnings("ignore")

import numpy  # pylint: disable=wrong-import-position

from plans import tuple_of  # pylint: disable=wrong-import-position

# Layers that are no layers to be drawn: bases, and those that hold code or files.
NOT_DRAWN = set(
    """InputLayer Layer Wrapper Lambda JaxLayer FlaxLayer TFSMLayer TorchModuleWrapper DenseFeatures
    AbstractRNNCell Pipeline SequenceFeatures LinearFeatures""".split()
)
# Functions that take functions, or whose result is no tensor or of a shape that depends on numbers.
NOT_CALLED = set(
    """associative_scan cond custom_gradient fori_loop map scan switch vectorized_map while_loop jvp
    convert_to_numpy is_tensor vectorize empty empty_like ctc_decode ctc_loss nonzero unique dtype
    shuffle device_put manual_variable_initialization""".split()
)
TENSORS = tuple("""
    x x1 inputs images image input input_tensor tensor value a features values logits t xs array
    data params condition volumes tensors target query indices labels y_true y
    """.split())


class NoAnswer(Exception):
    """What the framework makes is nothing to compare."""


class Framework:
    """What the search needs of a framework."""

    def __init__(self, module):
        self.module = module
        self.tensorflow = None
        if module == "keras3":
            import keras  # pylint: disable=import-outside-toplevel

            self.is_jax = os.environ.get("KERAS_BACKEND") == "jax"
        else:
            import tensorflow  # pylint: disable=import-outside-toplevel

            self.tensorflow = tensorflow
            self.is_jax = False
            if module == "keras":
                import keras  # pylint: disable=import-outside-toplevel
            else:
                keras = tensorflow.keras
                tensorflow.get_logger().setLevel("ERROR")
        self.keras = keras
        self.is_eager = module == "keras3" or (module != "keras" and self.tensorflow.executing_eagerly())
        self.version = version(self.tensorflow if module == "tf.keras" else keras)
        self.has_no_input_layers = module == "keras" or module == "tf.keras" and self.version < (2, 2)
        self.layers = self._layers()
        self.functions = self._functions()
        self.containers = ["h5", "old-weights"]
        if module == "keras3":
            self.containers = ["keras", "keras", "h5"]
            if self.version >= (3, 15):  # weights and an architecture do not name it
                self.containers.append("weights")
        elif self.version >= (2, 12):
            self.containers = ["keras", "h5", "h5", "weights", "old-weights"]
        # Each model is collected when it is forgotten; what the framework has loaded stays.
        gc.collect()
        gc.freeze()

    def _layers(self):
        base = self.keras.layers.Layer
        spaces = [self.keras.layers]
        nested = getattr(self.keras.layers, "experimental", None)
        spaces += [nested, getattr(nested, "preprocessing", None)]
        found = {}
        for space in filter(None, spaces):
            for name in dir(space):
                each = getattr(space, name)
                if inspect.isclass(each) and issubclass(each, base):
                    if each.__name__ not in NOT_DRAWN and not name.startswith("_"):
                        found.setdefault(each.__name__.replace("V1", "").replace("V2", ""), each)
        return {name: found[name] for name in sorted(found)}

    def _functions(self):
        if self.module == "keras3":
            spaces = {
                "ops": self.keras.ops,
                "ops.nn": self.keras.ops.nn,
                "ops.image": self.keras.ops.image,
                "ops.linalg": self.keras.ops.linalg,
                "activations": self.keras.activations,
            }
        elif self.module == "tf.keras":
            flow = self.tensorflow
            spaces = {
                "tf": flow,
                "math": flow.math,
                "nn": flow.nn,
                "image": flow.image,
                "linalg": flow.linalg,
                "bitwise": flow.bitwise,
                "signal": flow.signal,
                "backend": self.keras.backend,
                "activations": self.keras.activations,
            }
        else:
            return {}
        found, seen = {}, set()
        for space, module in spaces.items():
            for name in sorted(dir(module)):
                each = getattr(module, name)
                if name.startswith("_") or name in NOT_CALLED or inspect.isclass(each):
                    continue
                if not callable(each) or "random" in name or id(each) in seen:
                    continue
                parameters = list(signature(each))
                if parameters and parameters[0] in TENSORS:
                    seen.add(id(each))
                    found[f"{space}.{name}"] = each
        return found

    # --- Building.

    def clear(self, policy="float32"):
        """Forgets all models, and sets the type of the layers to come."""
        self.keras.backend.clear_session()
        if self.module == "keras3":
            self.keras.config.set_dtype_policy(policy)
        elif self.version >= (2, 4) and self.module == "tf.keras":
            self.keras.mixed_precision.set_global_policy(policy)
        else:
            self.keras.backend.set_floatx(policy)

    def input(self, spec: dict):
        """A symbolic input."""
        kind = self.keras.layers.Input if hasattr(self.keras.layers, "Input") else self.keras.Input
        shape = tuple(spec["shape"])
        if spec.get("batch"):
            return kind(batch_shape=(spec["batch"],) + shape, dtype=spec["dtype"], name=spec["id"])
        return kind(shape=shape, dtype=spec["dtype"], name=spec["id"])

    def beginning(self, spec: dict):
        """How a Sequential says its input: by a layer before the first, or by the first's arguments."""
        if self.module == "keras3":
            return [self.input(spec)], {}
        if self.has_no_input_layers:  # in files
            return [], {"batch_input_shape": tuple_of([spec.get("batch")] + spec["shape"])}
        return [
            self.keras.layers.InputLayer(
                input_shape=tuple(spec["shape"]),
                batch_size=spec.get("batch"),
                dtype=spec["dtype"],
                name=spec["id"],
            )
        ], {}

    def model(self, inputs, outputs):
        if isinstance(inputs, list) and len(inputs) == 1:
            inputs = inputs[0]
        if isinstance(outputs, list) and len(outputs) == 1:
            outputs = outputs[0]
        return self.keras.models.Model(inputs, outputs)

    def require_tensor(self, value):
        """Refuses what no model can give."""
        kind = self.kind(value)
        if (
            getattr(value, "sparse", False)
            or "Ragged" in type(value).__name__
            or "Sparse" in type(value).__name__
            or "complex" in kind
            or kind == "string"
        ):
            raise NoAnswer(f"a result of {type(value).__name__} {kind}")
        self.shape(value)
        if self.module == "tf.keras" and self.version < (2, 4):
            self.wrap_operations(value)
        if not hasattr(value, "_keras_history") and self.module != "keras3":
            raise NoAnswer("a constant")
        if self.module == "keras3" and type(value).__name__ != "KerasTensor":
            raise NoAnswer("a constant")

    @staticmethod
    def wrap_operations(value):
        """Makes layers of TensorFlow's operations, as TensorFlow before 2.4 does once the next layer reads their result."""
        from tensorflow.python.keras.engine import base_layer_utils

        if base_layer_utils.needs_keras_history(value):
            base_layer_utils.create_keras_history(value)

    @staticmethod
    def shape(value) -> list:
        """The shape of a symbolic tensor, None where it is unknown."""
        shape = getattr(value, "_keras_shape", None) or value.shape
        shape = shape.as_list() if hasattr(shape, "as_list") else list(shape)
        return [None if axis is None else int(axis) for axis in shape]

    @staticmethod
    def kind(value) -> str:
        """The name of a tensor's type."""
        name = getattr(value.dtype, "name", None) or str(value.dtype)
        return name.replace("_ref", "")

    # --- Weights.

    def set_weights(self, objects, seed: int):
        """Numbers for all weights, which depend on the layer's path and the seed alone."""
        for path, made in objects.items():
            if "/" in path or not hasattr(made, "weights"):
                continue
            weights = made.weights
            values = []
            for index, weight in enumerate(weights):
                rng = numpy.random.RandomState(zlib.crc32(f"{seed} {path} {index}".encode()))
                values.append(self._numbers(weight, rng))
            for weight, value in zip(weights, values):
                if value is not None:
                    self.assign(weight, value)
            for inner in [made] + list(getattr(made, "_flatten_layers", list)()):
                if type(inner).__name__ == "Normalization" and getattr(inner, "input_mean", 0) is None:
                    inner.finalize_state()

    @staticmethod
    def _numbers(weight, rng):
        name = getattr(weight, "path", None) or weight.name
        kind = Framework.kind(weight)
        if "float" not in kind or "seed" in name:
            return None
        shape = tuple(int(axis) for axis in weight.shape)
        value = rng.normal(0, 0.5, shape)
        if "variance" in name or "count" in name:
            value = rng.uniform(0.3, 1.5, shape)
        if "gamma" in name or "scale" in name:
            value = 1 + value
        return value.astype("float32" if kind == "bfloat16" else kind)

    def assign(self, weight, value):
        if self.is_eager:
            weight.assign(value)
        else:
            self.keras.backend.set_value(weight, value)

    def all_weights(self, model):
        """The values of a model's weights."""
        if self.is_eager:
            return [
                (
                    numpy.array(self.keras.backend.get_value(weight))
                    if self.module != "keras3"
                    else numpy.array(weight)
                )
                for weight in model.weights
            ]
        return list(self.keras.backend.batch_get_value(model.weights))

    # --- Running and saving.

    def run(self, model, arrays: dict, is_eager=None):
        """The outputs as arrays, step by step where the framework can, or as one graph."""
        is_eager = self.is_eager if is_eager is None else is_eager
        feed = {name: self._given(array) for name, array in arrays.items()} if is_eager else arrays
        if not isinstance(
            getattr(model, "_nested_inputs", getattr(model, "_inputs_struct", None)), dict
        ):
            feed = list(feed.values())
            feed = feed if len(feed) > 1 else feed[0]
        results = model(feed, training=False) if is_eager else model.predict_on_batch(feed)
        results = flattened_outputs(results)
        return [numpy.asarray(each) for each in results]

    def _given(self, array: numpy.ndarray):
        if self.module == "keras3":
            return self.keras.ops.convert_to_tensor(array)
        return self.tensorflow.constant(array)

    def save(self, model, container: str, folder: str):
        """Writes a model, and returns the file and the options to read it with."""
        backend = "jax" if self.is_jax else "tensorflow"
        options = ["--keras-backend", backend] if self.module == "keras3" else []
        if container in ("keras", "h5"):
            path = os.path.join(folder, "model." + container)
            model.save(path)
            return path, options
        path = os.path.join(folder, "model.weights.h5" if container == "weights" else "model.h5")
        model.save_weights(path)
        architecture = os.path.join(folder, "model.json")
        with open(architecture, "w", encoding="utf8") as file:
            file.write(model.to_json())
        return path, ["--architecture", architecture] + options

    def load(self, path: str, container: str, folder: str):
        """The model of a file."""
        if container in ("keras", "h5"):
            return self.keras.models.load_model(path, compile=False)
        with open(os.path.join(folder, "model.json"), encoding="utf8") as file:
            model = self.keras.models.model_from_json(file.read())
        model.load_weights(path)
        return model

    @staticmethod
    def history(value) -> str:
        """The name of the layer that made a symbolic tensor."""
        source = value._keras_history  # pylint: disable=protected-access
        made = getattr(source, "operation", None) or getattr(source, "layer", None) or source[0]
        return made.name


def version(module) -> tuple:
    """A version that can be compared."""
    return tuple(int(number) for number in re.findall(r"\d+", module.__version__)[:3])


def flattened_outputs(results):
    """Outputs in the order of the model."""
    if isinstance(results, dict):
        return [results[name] for name in sorted(results)]
    return list(results) if isinstance(results, (list, tuple)) else [results]


def signature(callee) -> dict:
    """The parameters of a function or of a class's constructor, without `self`."""
    target = callee.__init__ if inspect.isclass(callee) else callee
    try:
        parameters = dict(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return {}
    parameters.pop("self", None)
    return parameters


def plain(value):
    """Whether JSON holds a value as it is."""
    try:
        return json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False
