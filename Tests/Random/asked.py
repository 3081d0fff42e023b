"""What a strategy for an argument is asked."""

import re

from plans import tuple_of


class Asked:
    """An argument that is wanted: of what, for a tensor of which shape and type."""

    def __init__(self, rng, owner: str, shape: list, kind: str, drawer=None, default=None):
        self.rng = rng
        self.owner = owner
        self.shape = shape  # with the batch axis
        self.kind = kind
        self.drawer = drawer
        self.default = default

    @property
    def spatial(self):
        """How many axes a window has."""
        found = re.search(r"(\d)D", self.owner)
        return int(found[1]) if found else max(1, len(self.shape) - 2)

    def one(self, *choices):
        return self.rng.choice(choices)

    def windows(self, *choices):
        """One extent for all axes, or one for each."""
        if self.rng.random() < 0.5:
            return self.one(*choices)
        return tuple_of(self.one(*choices) for _ in range(self.spatial))

    def axis(self):
        rank = len(self.shape)
        return self.rng.randrange(-rank, rank) if rank else 0

    def some_axes(self):
        """An axis, several, or all."""
        if self.rng.random() < 0.3 and len(self.shape) > 1:
            return tuple_of(sorted(self.rng.sample(range(len(self.shape)), 2)))
        return None if self.rng.random() < 0.15 and self.default is None else self.axis()

    def extent(self, axis=-1, default=3):
        """A known extent of the tensor."""
        return (self.shape[axis] if self.shape else None) or default
