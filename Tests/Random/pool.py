"""What a model has so far while it is drawn: its inputs and the tensors that nodes gave."""

import collections

from plans import Building, tensor

TYPES = ["float32"] * 12 + "int32 int32 uint8 bool float16 float64 int64 int8 int16".split()


class Report:
    """What was tried in vain, and which arguments the generator has no idea for."""

    def __init__(self):
        self.redrawn = collections.Counter()
        self.unknown = collections.Counter()


class Pool:
    """Inputs and tensors to draw from."""

    def __init__(self, framework, rng, report, depth: int = 0, theme: str = "any"):
        self.framework = framework
        self.theme = theme
        self.is_old = framework.module != "keras3"
        self.rng = rng
        self.report = report
        self.depth = depth
        self.plan = {"inputs": [], "nodes": [], "outputs": []}
        self.building = Building(framework)
        self.tensors = {}
        self.is_sequential = False
        self.only = None  # the name of the one layer or function that is drawn
        self.types = TYPES + (["bfloat16"] if not self.is_old else [])
        self.is_named = rng.random() < 0.6

    def add_input(self, shape: list, kind: str = "float32", **more):
        """A new input."""
        spec = dict({"id": f"x{len(self.plan['inputs'])}", "shape": list(shape), "dtype": kind}, **more)
        if self.depth == 0 and self.rng.random() < 0.08 and self.plan["inputs"][:1] == []:
            spec["batch"] = 2
        self.tensors[spec["id"]] = [self.framework.input(spec)]
        self.plan["inputs"].append(spec)
        return tensor(spec["id"])

    def random_input(self, rank=None, kind: str = None):
        """A new input of a rank, which counts the batch axis."""
        rng = self.rng
        rank = rank or rng.choice([2, 2, 3, 3, 4, 4, 5])
        low, high = {2: (1, 8), 3: (2, 7), 4: (3, 9), 5: (2, 5)}.get(rank, (2, 4))
        shape = [rng.randint(low, high) for _ in range(rank - 2)]
        if shape and rng.random() < 0.1:
            shape[0] = None
        kind = kind or rng.choice(self.types)
        return self.add_input(shape + [rng.choice([1, 2, 3, 3, 4, 5, 6])][: max(rank - 1, 0)], kind)

    def pool(self) -> list:
        """All tensors, the newest more often."""
        found = [
            tensor(name, index)
            for name, results in self.tensors.items()
            for index in range(len(results))
        ]
        if self.is_sequential:
            return found[-1:]
        return found + found[-2:] + found[-1:] * 2

    def symbolic(self, reference):
        return self.tensors[reference["of"]][reference["index"]]

    def shape(self, reference) -> list:
        return self.framework.shape(self.symbolic(reference))

    def kind(self, reference) -> str:
        return self.framework.kind(self.symbolic(reference))

    def pick(self, ranks=None, kinds=None):
        """A tensor of some ranks and types; a new input where there is none."""
        fits = [
            each
            for each in self.pool()
            if (ranks is None or len(self.shape(each)) in ranks)
            and (kinds is None or self.kind(each) in kinds)
        ]
        if fits and self.rng.random() < 0.93:
            return self.rng.choice(fits)
        rank = self.rng.choice(ranks) if ranks else None
        return self.random_input(rank, self.rng.choice(kinds) if kinds else None)

    def alike(self, reference):
        """A tensor that can go with another one: most often of its shape and type."""
        shape, kind = self.shape(reference), self.kind(reference)
        fits = [each for each in self.pool() if self.shape(each) == shape and self.kind(each) == kind]
        if fits and self.rng.random() < 0.6:
            return self.rng.choice(fits)
        if shape[:1] != [None] or self.rng.random() < 0.1:
            return self.rng.choice(self.pool())
        if self.rng.random() < 0.2:
            shape = [axis if self.rng.random() < 0.6 else 1 for axis in shape]
        return self.add_input(shape[1:], kind)
