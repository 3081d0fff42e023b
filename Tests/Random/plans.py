"""A model as data that JSON can hold: what is drawn, built, reduced and kept.

A plan has `inputs`, `nodes` and `outputs`. A node calls its `object` (a layer or a model; `again` is
one that an earlier node made), a `function` of the framework or a Python `operator` with `args` and
`kwargs`. Values that JSON lacks are dictionaries with the key "$".
"""

import copy
import json
import operator
from typing import Iterator

import numpy

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "[]": operator.getitem,
    "neg": operator.neg,
    "abs": abs,
    "~": operator.invert,
}


def tensor(node: dict, index=0) -> dict:
    """A reference to one of the tensors that an input or a node makes."""
    return {"$": "tensor", "of": node, "index": index}


def tuple_of(items) -> dict:
    return {"$": "tuple", "items": list(items)}


def layer(name: str, arguments) -> dict:
    return {"$": "layer", "class": name, "arguments": arguments}


def slice_of(start, stop, step) -> dict:
    return {"$": "slice", "items": [start, stop, step]}


def references(value) -> list:
    """All references in a value, in order; not those inside of nested models."""
    if isinstance(value, dict):
        if value.get("$") == "tensor":
            return [value]
        if value.get("$") == "model":
            return []
        return [found for each in value.values() for found in references(each)]
    if isinstance(value, list):
        return [found for each in value for found in references(each)]
    return []


def replaced(value, change):
    """A copy of a value with `change(reference)` in place of each reference."""
    if isinstance(value, dict):
        if value.get("$") == "tensor":
            return change(value)
        if value.get("$") == "model":
            return copy.deepcopy(value)
        return {key: replaced(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [replaced(each, change) for each in value]
    return value


def needs(node: dict) -> list:
    """The IDs of the inputs and nodes that a node reads."""
    names = [found["of"] for found in references([node["args"], node["kwargs"]])]
    return names + ([node["again"]] if "again" in node else [])


def pruned(plan: dict) -> dict:
    """The plan without what no output needs."""
    wanted = {found["of"] for found in references(plan["outputs"])}
    nodes = []
    for node in reversed(plan["nodes"]):
        if node["id"] in wanted:
            wanted.update(needs(node))
            nodes.insert(0, node)
    inputs = [spec for spec in plan["inputs"] if spec["id"] in wanted]
    return dict(copy.deepcopy(plan), nodes=copy.deepcopy(nodes), inputs=copy.deepcopy(inputs))


def flattened(value) -> list:
    """The tensors in what a call gave."""
    if isinstance(value, (list, tuple)):
        return [found for each in value for found in flattened(each)]
    if isinstance(value, dict):
        return [found for key in sorted(value) for found in flattened(value[key])]
    return [value]


class Building:
    """Makes the framework's objects of a plan."""

    def __init__(self, framework):
        self.framework = framework
        self.objects = {}  # by path, such as n2/n0
        self.flags = []  # what is frozen and thawed once everything is there

    def decoded(self, value, tensors, path: str):
        """A value of a plan as the framework takes it."""
        if isinstance(value, list):
            return [self.decoded(each, tensors, path) for each in value]
        if not isinstance(value, dict):
            return value
        kind = value.get("$")
        if kind is None:
            return {key: self.decoded(each, tensors, path) for key, each in value.items()}
        if kind == "tensor":
            return tensors[value["of"]][value["index"]]
        if kind == "tuple":
            return tuple(self.decoded(each, tensors, path) for each in value["items"])
        if kind == "slice":
            return slice(*value["items"])
        if kind == "ellipsis":
            return Ellipsis
        if kind == "array":
            return numpy.array(value["values"], value["dtype"])
        if kind == "model":
            made = self.model(value["plan"], path)
            self.flag(value, path, made)
            return made
        return self.framework.layers[value["class"]](**self.decoded(value["arguments"], tensors, path))

    def made(self, node: dict, tensors, path: str, more=None):
        """The layer or model that a node calls, perhaps with more arguments."""
        place, thing = path + node["id"], node["object"]
        if more and thing["$"] == "layer":
            thing = dict(thing, arguments=dict(thing["arguments"], **more))
        made = self.decoded(thing, tensors, place + "/")
        self.flag(node, place, made)
        return made

    def flag(self, value: dict, place: str, made):
        """Freezes what was made as its node, or a model inside of a wrapper, says."""
        if value.get("freeze") == "before":
            made.trainable = False
        elif value.get("freeze"):
            self.flags.append((place, made, value["freeze"] == "thaw"))

    def called(self, node: dict, tensors, path: str = ""):
        """The tensors that a node gives."""
        args = self.decoded(node["args"], tensors, path)
        kwargs = self.decoded(node["kwargs"], tensors, path)
        if "operator" in node:
            result = OPERATORS[node["operator"]](*args)
        elif "function" in node:
            result = self.framework.functions[node["function"]](*args, **kwargs)
        else:
            place = path + node.get("again", node["id"])
            if "again" not in node:
                self.objects[place] = self.made(node, tensors, path)
            result = self.objects[place](*args, **kwargs)
        results = flattened(result)
        for each in results:
            self.framework.require_tensor(each)
        return results

    def model(self, plan: dict, path: str = ""):
        """The model of a plan."""
        if plan.get("sequential"):
            first, more = (
                ([], {}) if plan.get("deferred") else self.framework.beginning(plan["inputs"][0])
            )
            layers = []
            for node in plan["nodes"]:
                self.objects[path + node["id"]] = self.made(node, {}, path, more)
                layers.append(self.objects[path + node["id"]])
                more = {}
            return self.framework.keras.models.Sequential(first + layers)
        tensors = {spec["id"]: [self.framework.input(spec)] for spec in plan["inputs"]}
        inputs = {spec["id"]: tensors[spec["id"]][0] for spec in plan["inputs"]}
        for node in plan["nodes"]:
            tensors[node["id"]] = self.called(node, tensors, path)
        outputs = self.decoded(plan["outputs"], tensors, path)
        self.tensors = tensors
        if not plan.get("dictionary"):
            inputs = list(inputs.values())
        return self.framework.model(inputs, outputs)

    def finish(self):
        """Freezes and thaws, outer objects first."""
        for _, made, trainable in sorted(self.flags, key=lambda flag: flag[0].rstrip("/").count("/")):
            made.trainable = trainable


def callees(value) -> Iterator:
    """The names of all layers, functions and operators in a plan, in order."""
    if isinstance(value, dict):
        if value.get("$") == "layer":
            yield value["class"]
        yield from (value[key] for key in ("function", "operator") if isinstance(value.get(key), str))
        for each in value.values():
            yield from callees(each)
    elif isinstance(value, list):
        for each in value:
            yield from callees(each)


def text(plan: dict) -> str:
    """A plan for people: a line for each input and node."""

    def short(value):
        if isinstance(value, dict):
            kind = value.get("$")
            if kind == "tensor":
                return value["of"] + (f":{value['index']}" if value["index"] else "")
            if kind in ("tuple", "slice"):
                between = ":" if kind == "slice" else ", "
                return "(" + between.join(map(short, value["items"])) + ")"
            if kind == "layer":
                listed = ", ".join(f"{k}={short(v)}" for k, v in value["arguments"].items())
                return f"{value['class']}({listed})"
            if kind == "model":
                kind = "Sequential" if value["plan"].get("sequential") else "Model"
                kind += f" (frozen: {value['freeze']})" if value.get("freeze") else ""
                return kind + " {\n  " + text(value["plan"]).replace("\n", "\n  ") + "\n}"
            return json.dumps(value)
        if isinstance(value, list):
            return "[" + ", ".join(map(short, value)) + "]"
        return repr(value)

    lines = [f"{spec['id']} = Input({spec['shape']}, {spec['dtype']})" for spec in plan["inputs"]]
    for node in plan["nodes"]:
        callee = node.get("operator") or node.get("function") or node.get("again")
        called = callee or short(node["object"])
        given = [short(each) for each in node["args"]]
        given += [f"{key}={short(each)}" for key, each in node["kwargs"].items()]
        frozen = f"  # frozen: {node['freeze']}" if node.get("freeze") else ""
        lines.append(f"{node['id']} = {called}({', '.join(given)}){frozen}")
    flags = "".join(f", {key}={plan[key]}" for key in ("policy", "dictionary") if plan.get(key))
    return "\n".join(lines + [f"outputs {short(plan['outputs'])}{flags}"])
