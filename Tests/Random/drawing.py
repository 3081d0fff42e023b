"""Draws a plan: node by node, and what the framework refuses is drawn anew."""

from frameworks import NoAnswer
from nodes import THEMES, Nodes
from plans import pruned, references, tensor


class Drawer(Nodes):
    """Draws a model, or a model inside of one."""

    def step(self, makers) -> bool:
        """Adds a node if the framework takes it."""
        before = (len(self.plan["inputs"]), list(self.tensors))
        maker = self.rng.choice(makers)
        try:
            node = dict(maker(), id=f"n{len(self.plan['nodes'])}")
            self.tensors[node["id"]] = self.building.called(node, self.tensors)
            self.plan["nodes"].append(node)
            return True
        except Exception as error:  # pylint: disable=broad-except
            self.report.redrawn[type(error).__name__] += 1
            self.plan["inputs"] = self.plan["inputs"][: before[0]]
            self.tensors = {name: self.tensors[name] for name in before[1]}
            return False

    def finished(self, length: int, can_be_sequential: bool = False) -> dict:
        """A plan with a number of nodes."""
        rng = self.rng
        is_sequential = self.is_sequential = can_be_sequential and rng.random() < 0.35
        makers = [
            getattr(self, kind + "_node")
            for kind, often in THEMES[self.theme][1].items()
            for _ in range(often if kind != "model" or self.depth < 3 else 0)
        ]
        if is_sequential:
            makers = [self.layer_node] * 4 + [self.model_node] * (self.depth < 2)
        for _ in range(40 * length):
            if len(self.plan["nodes"]) >= length:
                break
            if self.step(makers) and is_sequential and not self.is_chain():
                node = self.plan["nodes"].pop()
                del self.tensors[node["id"]]
                self.plan["inputs"] = self.plan["inputs"][:1]
                self.tensors = {
                    name: each
                    for name, each in self.tensors.items()
                    if name[0] == "n" or name == self.plan["inputs"][0]["id"]
                }
        return self.with_outputs(is_sequential)

    def is_chain(self) -> bool:
        """Whether each node takes the one before it, and nothing else."""
        nodes, last = self.plan["nodes"], self.plan["inputs"][0]["id"]
        for node in nodes:
            if node["args"] != [tensor(last)] or node["kwargs"] or len(self.tensors[node["id"]]) != 1:
                return False
            last = node["id"]
        return len(self.plan["inputs"]) == 1

    def with_outputs(self, is_sequential: bool) -> dict:
        """The plan, once what no node reads is an output."""
        if not self.plan["nodes"]:
            raise NoAnswer("nothing was drawn")
        read = {
            found["of"]
            for node in self.plan["nodes"]
            for found in references([node["args"], node["kwargs"]])
        }
        leaves = [
            tensor(node["id"], index)
            for node in self.plan["nodes"]
            if node["id"] not in read
            for index in range(len(self.tensors[node["id"]]))
        ]
        plan = self.plan
        if is_sequential:
            plan["sequential"] = True
            plan["deferred"] = self.depth > 0 and self.rng.random() < 0.3
            plan["outputs"] = leaves
            return plan
        if len(plan["nodes"]) > 2 and self.rng.random() < 0.2:
            leaves.append(tensor(self.rng.choice(plan["nodes"])["id"]))
        self.rng.shuffle(leaves)
        plan["outputs"] = leaves[:4]
        return pruned(plan)


def policies(framework) -> list:
    """The names of the policies that a framework has beside its default."""
    mixed = framework.module == "keras3" or framework.version >= (2, 12)
    return ["float64", "float16"] + (["mixed_float16", "mixed_bfloat16"] if mixed else [])


def draw_single(framework, rng, report, seed: int) -> dict:
    """A plan of one call: as seeds count on, of each layer and each function with inputs of each type."""
    callees = [("layer", name) for name in framework.layers]
    callees += [("function", name) for name in framework.functions]
    kind, name = callees[seed % len(callees)]
    policy = rng.choice(["float32"] * 3 + policies(framework))
    framework.clear(policy)
    drawer = Drawer(framework, rng, report)
    types = sorted(set(drawer.types))
    drawer.types = [types[seed // len(callees) % len(types)]]
    drawer.only = name
    drawer.random_input()
    for _ in range(40):
        if drawer.step([getattr(drawer, kind + "_node")]):
            break
    return dict(drawer.with_outputs(False), policy=policy, dictionary=False)


def draw_plan(framework, rng, report) -> dict:
    """A plan of a whole model."""
    policy = "float32"
    if rng.random() < 0.1:
        policy = rng.choice(policies(framework))
    framework.clear(policy)
    theme = rng.choice(["any"] * 5 + ["nested"] * 3 + ["recurrent", "functions"])
    drawer = Drawer(framework, rng, report, theme=theme)
    for _ in range(rng.choice([1, 1, 1, 2])):
        drawer.random_input()
    plan = drawer.finished(rng.choice([1, 2, 2, 3, 3, 4, 5, 6, 8]), True)
    plan["policy"] = policy
    if not plan.get("sequential") and framework.is_eager and rng.random() < 0.05:
        plan["outputs"] = {f"o{index}": found for index, found in enumerate(plan["outputs"])}
    plan["dictionary"] = framework.is_eager and not plan.get("sequential") and rng.random() < 0.08
    return plan
