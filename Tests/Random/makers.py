"""Draws layers with their arguments, also those inside of wrappers."""

import inspect

import arguments
from asked import Asked
from frameworks import NoAnswer, signature
from plans import layer
from pool import Pool


class Maker(Pool):
    """Draws what a node calls."""

    def activations(self) -> list:
        """The names of the framework's activation functions."""
        names = sorted(
            name
            for name in dir(self.framework.keras.activations)
            if inspect.isfunction(getattr(self.framework.keras.activations, name))
        )
        return [
            name
            for name in names
            if name not in ("get", "serialize", "deserialize", "glu")
            and not name.startswith("_")
            and "deserialize" not in name
            and "keras" not in name
        ]

    def kinds(self) -> list:
        """The names of types, and of policies where there are some."""
        names = ["float32", "float16", "float64"]
        if self.framework.module == "keras3":
            return names + ["bfloat16", "mixed_float16", "mixed_bfloat16", "int32"]
        return names + (["mixed_float16", "mixed_bfloat16"] if self.framework.version >= (2, 12) else [])

    def settings(
        self, callee, owner: str, shape: list, kind: str, share: float = 0.35, without=()
    ) -> dict:
        """Arguments for a constructor or a function, by its signature."""
        given = {}
        for name, parameter in signature(callee).items():
            if name in without or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            is_required = parameter.default is parameter.empty
            if not is_required and self.rng.random() > share:
                continue
            default = None if is_required else parameter.default
            asked = Asked(self.rng, owner, shape, kind, self, default)
            value = arguments.drawn(name, asked)
            if value is arguments.NONE_KNOWN:
                self.report.unknown[f"{owner}({name})"] += 1
                if is_required:
                    raise NoAnswer(f"no idea for {name}")
            else:
                given[name] = value
        return given

    def layer(self, name: str, shape: list, kind: str, share: float = 0.35, outer: bool = True) -> dict:
        """A layer with arguments for a tensor of a shape and type."""
        callee = self.framework.layers[name]
        given = self.settings(callee, name, shape, kind, share)
        given.pop("name", None)
        if self.theme == "nested" and "units" in given and shape[-1] and self.rng.random() < 0.6:
            given["units"] = shape[-1]  # weights of one shape are taken for each other unnoticed
        if self.rng.random() < (0.03 if self.framework.has_no_input_layers else 0.12):
            given["dtype"] = self.rng.choice(self.kinds())
        elif given.get("dtype") and self.rng.random() < 0.5:
            given.pop("dtype")
        if self.rng.random() < 0.06:
            given["trainable"] = False
        if outer and self.is_named:
            given["name"] = f"n{len(self.plan['nodes'])}"
        return layer(name, given)

    def inner_layer(self, asked) -> dict:
        """The layer that a wrapper takes."""
        names = list(self.framework.layers)
        if asked.owner == "Bidirectional":
            names = ["LSTM", "GRU", "SimpleRNN", "RNN"]
        elif asked.owner == "SpectralNormalization":
            names = ["Dense", "Conv2D", "Conv1D", "Embedding"]
        elif self.rng.random() < 0.3:
            names = ["Dense", "BatchNormalization", "Conv1D", "Conv2D", "LSTM", "Flatten", "Embedding"]
        shape = asked.shape
        if asked.owner == "TimeDistributed":
            shape = shape[:1] + shape[2:]
            if self.depth < 2 and self.rng.random() < (0.6 if self.theme == "nested" else 0.3):
                return self.perhaps_frozen(self.inner_model([shape], [asked.kind]))
        return self.layer(self.rng.choice(names), shape, asked.kind, 0.25, outer=False)

    def perhaps_frozen(self, model: dict, node=None) -> dict:
        """Freezes a model, or the node that calls it, and perhaps thaws a layer inside."""
        value = node or model
        if self.rng.random() < 0.4:
            value["freeze"] = self.rng.choice(["before", "after"])
            if self.rng.random() < 0.5:
                self.rng.choice(model["plan"]["nodes"])["freeze"] = "thaw"
        return value

    def cell(self, asked):
        """A cell, or several."""
        names = [
            name
            for name in self.framework.layers
            if "Cell" in name
            and "Cells" not in name
            and "Abstract" not in name
            and "ConvLSTM" not in name
        ]
        one = self.layer(self.rng.choice(names), asked.shape, asked.kind, 0.25, outer=False)
        if asked.owner == "RNN" and self.rng.random() < 0.25:
            return [one, self.layer(self.rng.choice(names), asked.shape, asked.kind, 0.2, outer=False)]
        return one

    def inner_model(self, shapes, kinds) -> dict:
        """A model for tensors of some shapes and types."""
        inner = type(self)(self.framework, self.rng, self.report, self.depth + 1, self.theme)
        for shape, kind in zip(shapes, kinds):
            inner.add_input(shape[1:], kind)
        return {"$": "model", "plan": inner.finished(self.rng.randint(1, 3), len(shapes) == 1)}
