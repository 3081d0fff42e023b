"""Makes a model with a fault as small as it can be while it still has the fault."""

import copy
import json
import os
import shutil
import tempfile
from typing import Iterator, Optional

import numpy

import plans
from plans import pruned, references, replaced, tensor


def cut(plan: dict, trial, node_id: str) -> Optional[dict]:
    """The plan with new inputs in place of a node."""
    plan = copy.deepcopy(plan)
    if any(node.get("again") == node_id for node in plan["nodes"]):
        return None
    results = trial.building.tensors.get(node_id)
    if results is None:
        return None
    plan["nodes"] = [node for node in plan["nodes"] if node["id"] != node_id]
    outputs = [found for found in references(plan["outputs"]) if found["of"] != node_id]
    if not outputs or not plan["nodes"]:
        return None
    new = {}

    def change(found):
        if found["of"] != node_id:
            return found
        index = found["index"]
        if index not in new:
            shape = trial.framework.shape(results[index])
            known = any(spec.get("batch") for spec in plan["inputs"])
            if not shape or shape[0] is not None and not known:
                raise ValueError("a tensor without a batch")
            spec = {
                "id": f"y{node_id}_{index}",
                "shape": shape[1:],
                "dtype": trial.framework.kind(results[index]),
            }
            if shape[0] is not None:
                spec["batch"] = shape[0]
            new[index] = spec
            plan["inputs"].append(spec)
        return tensor(new[index]["id"])

    try:
        for node in plan["nodes"]:
            node["args"] = replaced(node["args"], change)
            node["kwargs"] = replaced(node["kwargs"], change)
    except ValueError:
        return None
    plan["outputs"] = outputs
    return pruned(plan)


def sequence_without(plan: dict, node_id: str) -> Optional[dict]:
    """A Sequential without one of its layers."""
    plan = copy.deepcopy(plan)
    last, nodes = plan["inputs"][0]["id"], []
    for node in plan["nodes"]:
        if node["id"] != node_id:
            node["args"] = [tensor(last)]
            last = node["id"]
            nodes.append(node)
    if not nodes:
        return None
    plan["nodes"], plan["outputs"] = nodes, [tensor(last)]
    return plan


def without_refused(trial, outcome) -> Optional[dict]:
    """The plan without the layers that the program has refused."""
    if not outcome.kind.startswith("refused"):
        return None
    if trial.plan.get("sequential"):
        return None
    plan = trial.plan
    for node in trial.plan["nodes"]:
        results = trial.building.tensors.get(node["id"], [])
        made = {trial.framework.history(each) for each in results}
        if made & set(outcome.places) and plan:
            plan = cut(plan, trial, node["id"])
    return plan if plan and plan["nodes"] and plan is not trial.plan else None


def smaller(plan: dict, trial) -> Iterator:
    """Plans that are smaller in one place, the boldest first."""
    nodes = plan["nodes"]
    outputs = references(plan["outputs"])
    if len(outputs) > 1 or isinstance(plan["outputs"], dict):
        for output in outputs:
            yield pruned(dict(plan, outputs=[output]))
    for node in nodes[:-1]:  # stops earlier
        if not plan.get("sequential"):
            yield pruned(dict(plan, outputs=[tensor(node["id"])]))
    for node in nodes:
        if plan.get("sequential"):
            yield sequence_without(plan, node["id"])
        else:
            yield cut(plan, trial, node["id"])
            yield bypassed(plan, node)
            yield inlined(plan, node)
    if plan.get("policy", "float32") != "float32":
        yield dict(plan, policy="float32")
    for key in ("dictionary", "deferred"):
        if plan.get(key):
            yield dict(plan, **{key: False})
    yield from simpler(plan)


def bypassed(plan: dict, node: dict) -> Optional[dict]:
    """The plan in which who reads a node reads what the node reads."""
    read = references(node["args"])
    if not read or any(other.get("again") == node["id"] for other in plan["nodes"]):
        return None
    plan = copy.deepcopy(plan)
    plan["nodes"] = [other for other in plan["nodes"] if other["id"] != node["id"]]
    plan = replaced(plan, lambda found: read[0] if found["of"] == node["id"] else found)
    if all(found["of"].startswith(("x", "y")) for found in references(plan["outputs"])):
        return None
    return pruned(plan)


def inlined(plan: dict, node: dict) -> Optional[dict]:
    """The plan with the nodes of a model inside in place of its call."""
    if node.get("object", {}).get("$") != "model" or any(
        each.get("again") == node["id"] for each in plan["nodes"]
    ):
        return None
    inner = node["object"]["plan"]
    given = {spec["id"]: read for spec, read in zip(inner["inputs"], references(node["args"]))}

    def inside(found):
        return given.get(found["of"]) or dict(found, of=f"{node['id']}_{found['of']}")

    def outside(found):
        is_result = found["of"] == node["id"]
        return inside(references(inner["outputs"])[found["index"]]) if is_result else found

    nodes = []
    for each in plan["nodes"]:
        if each is node:
            for part in inner["nodes"]:
                names = {key: f"{node['id']}_{part[key]}" for key in ("id", "again") if key in part}
                nodes.append(
                    dict(
                        part,
                        args=replaced(part["args"], inside),
                        kwargs=replaced(part["kwargs"], inside),
                        **names,
                    )
                )
        else:
            nodes.append(
                dict(
                    each, args=replaced(each["args"], outside), kwargs=replaced(each["kwargs"], outside)
                )
            )
    return pruned(dict(plan, nodes=nodes, outputs=replaced(plan["outputs"], outside)))


def places(value, fits, path=()) -> Iterator:
    """The paths of all dictionaries that fit, also in nested plans."""
    if isinstance(value, dict):
        if fits(value):
            yield path
        for key, each in value.items():
            yield from places(each, fits, path + (key,))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from places(each, fits, path + (index,))


def at(value, path: tuple):
    for key in path:
        value = value[key]
    return value


def simpler(plan: dict) -> Iterator:
    """Plans with simpler arguments: without one of them, or with fewer layers inside."""
    for path in list(places(plan, lambda value: value.get("$") in ("layer", "model"))):
        found = at(plan, path)
        if found["$"] == "model":
            for node in found["plan"]["nodes"]:
                inner = found["plan"]
                inner = (
                    sequence_without(inner, node["id"])
                    if inner.get("sequential")
                    else bypassed(inner, node)
                )
                if inner:
                    changed = copy.deepcopy(plan)
                    at(changed, path)["plan"] = inner
                    yield changed
            continue
        for name in list(found["arguments"]):
            changed = copy.deepcopy(plan)
            del at(changed, path)["arguments"][name]
            yield changed
    for index, node in enumerate(plan["nodes"]):
        for name in list(node["kwargs"]):
            changed = copy.deepcopy(plan)
            del changed["nodes"][index]["kwargs"][name]
            yield pruned(changed)
    for path in list(places(plan, lambda value: value.get("freeze"))):
        changed = copy.deepcopy(plan)
        del at(changed, path)["freeze"]
        yield changed


class Reduced:
    """The smallest model with a fault."""

    def __init__(self, trial, outcome, is_new: bool):
        self.trial = trial
        self.outcome = outcome
        self.is_new = is_new

    def keep(self, folder: str, seed: int):
        """Saves everything for mending, and says what was found."""
        target = os.path.join(
            folder, f"fault-{seed}" + "".join(f"-{name}" for name in self.outcome.what.split(":")[:-1])
        )
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.trial.folder, target)
        profile = next(
            (name for name in self.trial.profiles if name + " numbers" in self.outcome.text), "ordinary"
        )
        if hasattr(self.trial, "wanted"):
            numpy.savez(os.path.join(target, "inputs.npz"), **_stored(self.trial.given[profile]))
            numpy.savez(
                os.path.join(target, "outputs.npz"),
                **_stored(
                    {f"output{index}": each for index, each in enumerate(self.trial.wanted[profile])}
                ),
            )
        with open(os.path.join(target, "plan.json"), "w", encoding="utf8") as file:
            json.dump(
                {"plan": self.trial.plan, "seed": seed, "container": self.trial.container},
                file,
                indent=1,
            )
        text = plans.text(self.trial.plan)
        differs = f"first to differ: {self.first()}"
        report = f"{self.outcome.kind}, {self.outcome.text}\n{self.trial.container}\n{differs}\n{text}\n"
        with open(os.path.join(target, "report.txt"), "w", encoding="utf8") as file:
            file.write(report)
        if self.is_new:
            shutil.rmtree(self.trial.folder, ignore_errors=True)
        return {
            "kind": self.outcome.kind,
            "signature": f"{self.outcome.what}: {' '.join(plans.callees(self.trial.plan))}",
            "what": self.outcome.what,
            "text": self.outcome.text,
            "container": self.trial.container,
            "plan": f"{differs}\n{text}",
            "folder": target,
        }

    def first(self) -> str:
        """The node that differs: an earlier one would have been an output in its place."""
        plan = self.trial.plan
        wanted = references(plan["outputs"])[0]["of"]
        lines = plans.text(
            dict(plan, nodes=[node for node in plan["nodes"] if node["id"] == wanted], inputs=[])
        )
        return lines.rsplit("\noutputs", 1)[0]


def _stored(values):
    return {
        name: each.astype("float32") if each.dtype.name == "bfloat16" else each
        for name, each in values.items()
    }


def reduced(worker, trial, outcome, check, limit: int = 50):
    """The smallest model that was found with the fault of a trial; `check(trial)` tells the outcome."""
    tries, seen = 0, set()
    best, best_outcome = trial, outcome
    is_smaller = True
    while is_smaller and tries < limit:
        is_smaller = False
        for plan in smaller(best.plan, best):
            key = plan and json.dumps(plan, sort_keys=True)
            if not plan or key in seen or not plan["nodes"] or tries >= limit:
                continue
            seen.add(key)
            tries += 1
            worker.say({"reducing": tries})
            folder = tempfile.mkdtemp(dir=worker.options.folder)
            other = worker.trial(plan, trial.seed, trial.container, folder)
            other.profiles = trial.profiles
            found = check(other)
            if found.same(outcome):
                if best is not trial:
                    shutil.rmtree(best.folder, ignore_errors=True)
                best, best_outcome, is_smaller = other, found, True
                break
            shutil.rmtree(folder, ignore_errors=True)
    return Reduced(best, best_outcome, best is not trial)
