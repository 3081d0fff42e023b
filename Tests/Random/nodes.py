"""Draws nodes: calls of layers, models, functions and operators."""

from asked import Asked
from frameworks import TENSORS, NoAnswer, signature
from makers import Maker
from plans import replaced, tensor
from strategies import index_like

MORE_TENSORS = TENSORS + tuple("""
    x2 y b weights weight key mask kernel filters filter gamma beta updates segment_ids output
    predictions bias on_value off_value positions abs_ angle bins condlist choicelist y_pred targets
    rhs sorted_sequence
    """.split())

# What a model is about: which layers it has (all, where there are none), and how often the kinds of nodes come.
THEMES = {
    "any": ([], {"layer": 8, "function": 2, "operator": 2, "again": 1, "model": 2}),
    "nested": (
        """
        Dense Dense BatchNormalization BatchNormalization LayerNormalization Conv1D PReLU LSTM
        TimeDistributed TimeDistributed Bidirectional Flatten Add SeparableConv1D Embedding
        """.split(),
        {"layer": 5, "again": 1, "model": 5},
    ),
    "recurrent": (
        """
        LSTM GRU SimpleRNN RNN Bidirectional Bidirectional ConvLSTM1D ConvLSTM2D Masking Masking
        Embedding TimeDistributed Attention MultiHeadAttention Concatenate Add
        GlobalAveragePooling1D Dense StackedRNNCells
        """.split(),
        {"layer": 8, "again": 1, "model": 1, "function": 1},
    ),
    "functions": ([], {"layer": 1, "function": 5, "operator": 4}),
}


class Nodes(Maker):
    """Draws a node without its ID."""

    def ranks(self, name: str, names):
        """The ranks that a layer takes, as far as its name says so."""
        if "ConvLSTM" in name:
            return [int(name[8]) + 3]
        for digit in "123":
            if digit + "D" in name:
                return [int(digit) + 2]
        if names & {"RNN", "Bidirectional"}:
            return [3]
        if (
            "BaseImagePreprocessingLayer" in names
            or name.startswith("Random")
            or name in ("Resizing", "CenterCrop")
        ):
            return [4]
        return {
            "Embedding": [2, 2, 3],
            "ReversibleEmbedding": [2],
            "RepeatVector": [2],
            "Masking": [3],
            "TimeDistributed": [3, 4, 5],
            "IntegerLookup": [2],
            "CategoryEncoding": [2],
            "Hashing": [2],
            "Dot": [2, 3, 3],
            "MultiHeadAttention": [3],
            "GroupQueryAttention": [3],
            "Attention": [3],
            "AdditiveAttention": [3],
        }.get(name)

    def layer_node(self) -> dict:
        """A call of a new layer."""
        rng = self.rng
        names = [name for name in THEMES[self.theme][0] if name in self.framework.layers]
        name = self.only or rng.choice(
            names or list(self.framework.layers) + ["TimeDistributed", "Bidirectional", "Masking"]
        )
        callee = self.framework.layers[name]
        bases = {each.__name__ for each in callee.__mro__}
        parameters = signature(callee.call) if hasattr(callee, "call") else {}
        parameters.pop("self", None)
        if "states" in parameters:
            raise NoAnswer("a cell")
        if name in ("Embedding", "CategoryEncoding", "IntegerLookup", "ReversibleEmbedding"):
            first = self.index_input(name)
        else:
            first = self.pick(self.ranks(name, bases))
        made = self.layer(name, self.shape(first), self.kind(first))
        if bases & {"Merge", "_Merge"}:
            count = 2 if name in ("Dot", "Subtract") else rng.choice([2, 2, 3])
            args = [[first] + [self.alike(first) for _ in range(count - 1)]]
        elif bases & {"Attention", "BaseDenseAttention", "AdditiveAttention"}:
            args = [[first] + [self.alike(first) for _ in range(rng.choice([1, 2]))]]
        elif "query" in parameters:
            args = [first] + [self.alike(first) for _ in range(rng.choice([1, 2]))]
        else:
            args = [first]
        node = {
            "object": made,
            "args": args,
            "kwargs": self.call_settings(name, parameters, first, made),
        }
        if rng.random() < (0.35 if self.theme == "nested" else 0.1):
            node["freeze"] = rng.choice(["before", "after", "thaw"])
        return node

    def index_input(self, name: str):
        """An input of indices."""
        old = [tensor(spec["id"]) for spec in self.plan["inputs"] if spec.get("high")]
        if old and self.rng.random() < 0.5:
            return self.rng.choice(old)
        shape = [self.rng.choice([3, 4, 5])] + ([2] if self.rng.random() < 0.15 else [])
        if name != "Embedding":
            shape = shape[:1]
        return self.add_input(
            shape, self.rng.choice(["int32", "int32", "int64", "uint8", "float32"]), high=6
        )

    def call_settings(self, name: str, parameters, first, made) -> dict:
        """Keyword arguments of a call."""
        rng, given = self.rng, {}
        if "initial_state" in parameters and rng.random() < 0.25:
            states = self.states(name, made, first)
            if states:
                given["initial_state"] = states if len(states) > 1 or rng.random() < 0.5 else states[0]
        for key in ("return_attention_scores", "use_causal_mask"):
            if key in parameters and rng.random() < 0.25:
                given[key] = True
        if "attention_mask" in parameters and rng.random() < 0.2:
            extents = self.shape(first)
            given["attention_mask"] = self.add_input([extents[1], extents[1]], "bool")
        if "mask" in parameters and rng.random() < 0.08 and len(self.shape(first)) >= 3:
            given["mask"] = self.add_input([self.shape(first)[1]], "bool")
        if "training" in parameters and rng.random() < 0.08:
            given["training"] = name == "BatchNormalization" and rng.random() < 0.3
        return given

    def states(self, name: str, made, first) -> list:
        """Inputs for the initial states of a recurrent layer."""
        inner = made["arguments"].get("layer", made)
        settings = inner.get("arguments", {})
        units = settings.get("units")
        if inner.get("class") not in ("LSTM", "GRU", "SimpleRNN") or not units:
            return []
        count = 2 if inner["class"] == "LSTM" else 1
        count *= 2 if name == "Bidirectional" else 1
        kind = self.kind(first) if "float" in self.kind(first) else "float32"
        return [self.add_input([units], kind) for _ in range(count)]

    def again_node(self) -> dict:
        """Another call of a layer or model: it is shared."""
        made = [node for node in self.plan["nodes"] if "object" in node]
        if not made:
            raise NoAnswer("nothing to share")
        node = self.rng.choice(made)
        alike = {}
        return {
            "again": node["id"],
            "kwargs": node["kwargs"],
            "args": replaced(
                node["args"], lambda found: alike.setdefault(found["of"], self.alike(found))
            ),
        }

    def model_node(self) -> dict:
        """A call of a model inside of this one."""
        chosen = [self.pick() for _ in range(self.rng.choice([1, 1, 2]))]
        made = self.inner_model(
            [self.shape(each) for each in chosen], [self.kind(each) for each in chosen]
        )
        used = [int(spec["id"][1:]) for spec in made["plan"]["inputs"]]
        chosen = [
            chosen[index] if index < len(chosen) else self.add_input(spec["shape"], spec["dtype"])
            for index, spec in zip(used, made["plan"]["inputs"])
        ]
        node = {"object": made, "args": [chosen if len(chosen) > 1 else chosen[0]], "kwargs": {}}
        return self.perhaps_frozen(made, node)

    def function_node(self) -> dict:
        """A call of one of the framework's functions."""
        rng = self.rng
        if not self.framework.functions:
            raise NoAnswer("no functions")
        name = self.only or rng.choice(list(self.framework.functions))
        callee = self.framework.functions[name]
        ranks = (
            [4]
            if ".image" in name or name.startswith("image.") or "pool" in name or "conv" in name
            else None
        )
        first = self.pick(ranks)
        shape, kind = self.shape(first), self.kind(first)
        parameters = list(signature(callee).items())
        takes_list = parameters[0][0] in ("xs", "tensors", "values") or name.endswith(
            (".stack", ".concat")
        )
        args = [
            [first] + [self.alike(first) for _ in range(rng.choice([1, 2]))] if takes_list else first
        ]
        kwargs, left = {}, [parameters[0][0]]
        for key, parameter in parameters[1:]:
            is_required = parameter.default is parameter.empty
            if (
                key not in MORE_TENSORS
                or not is_required
                and (parameter.default is not None or rng.random() < 0.6)
            ):
                continue
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            left.append(key)
            kwargs[key] = self.operand(first)
        kwargs.update(self.settings(callee, name, shape, kind, 0.3, left))
        return {"function": name, "args": args, "kwargs": kwargs}

    def operand(self, first):
        """What goes with a tensor: another one, a number, or numbers."""
        style = self.rng.random()
        if style < 0.6:
            return self.alike(first)
        if "float" in self.kind(first):
            number = self.rng.choice([0.5, 2.0, -1.5, 3, 0.0])
        else:
            number = self.rng.choice([1, 2, 3, -1, -1, 300, 0.5])  # some do not fit in the type
        if style < 0.85:
            return number
        extent = (self.shape(first) or [None])[-1] or 1
        return {
            "$": "array",
            "dtype": "float32" if isinstance(number, float) else "int32",
            "values": [number] * extent,
        }

    def operator_node(self) -> dict:
        """One of Python's operators."""
        rng = self.rng
        first = self.pick()
        name = rng.choice(
            [
                "+",
                "+",
                "-",
                "-",
                "*",
                "*",
                "/",
                "//",
                "%",
                "**",
                "@",
                "<",
                "<=",
                ">",
                ">=",
                "==",
                "!=",
                "&",
                "|",
                "^",
                "[]",
                "[]",
                "neg",
                "abs",
                "~",
            ]
        )
        if name in ("neg", "abs", "~"):
            args = [first]
        elif name == "[]":
            asked = Asked(rng, "[]", self.shape(first), self.kind(first), self)
            args = [first, index_like(asked)]
        else:
            args = [first, self.operand(first)]
            if rng.random() < 0.4:
                args.reverse()
        if isinstance(args[0], dict) and args[0].get("$") == "array":
            args.reverse()
        return {"operator": name, "args": args, "kwargs": {}}
