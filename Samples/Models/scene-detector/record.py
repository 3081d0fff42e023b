"""Draws the 60 scenes that are searched, and says how many the search should find: the folders `scenes` and `layouts`.

    /tmp/keras2150/bin/python record.py

The environment is that of `train.py`. The model is not trained again. The cost of a layout is computed here from its
definition by trying all assignments, and the boxes are decoded by `../shape-detector/detection.py`: nothing is
Weighbridge's.
"""

import itertools
import json
import math

import keras
import numpy as np

from train import FOLDER, read_anchors, to_input  # which makes the others be found

import drawing
from detection import candidates, suppress_overlaps
from pictures import CLASS_NAMES, SIZE
from scenes import draw_scene

SEED = 1960
COUNT = 60
OTHER_SETS = 10


def draw_set(rng):
    return [draw_scene(rng) for _ in range(COUNT)]


def layout(boxes, classes):
    """A scene's shapes in the unit square, as `weighbridge search --layout` reads them."""
    return [
        dict(zip(("label", "x", "y", "width", "height"),
                 [CLASS_NAMES[shape]] + [round(float(value) / SIZE, 6) for value in (x, y, right - x, bottom - y)]))
        for (x, y, right, bottom), shape in zip(boxes, classes)]


def find(model, anchors, scenes, threshold=0.25):
    """The boxes and classes that are found in each scene, cut off at its edges. Of boxes that overlap the best is
    kept, whatever their classes; like darknet's, it counts for each class above the threshold."""
    found = []
    for output in model.predict(to_input([scene[0] for scene in scenes]), verbose=0):
        boxes, scores = candidates(output, anchors)
        order = (-scores.max(axis=1)).argsort(kind="mergesort")
        order = order[scores[order].max(axis=1) > threshold]
        _, _, kept = suppress_overlaps(boxes[order], np.zeros(len(order)), order)
        rows, classes = np.nonzero(scores[kept] > threshold)
        found.append((boxes[kept][rows].clip(0, SIZE), classes))
    return found


def nearest_others(centres):
    """For each centre, the nearest other one, the first of equals; None for the only one."""
    distances = np.square(centres[:, None] - centres[None]).sum(axis=-1)
    np.fill_diagonal(distances, np.inf)
    return [row.argmin() if len(row) > 1 else None for row in distances]


def assignments(wanted, found):
    """All ways to give as many wanted objects as can be a found one of their class: dictionaries."""
    ways = []
    for shape in set(wanted):
        rows, columns = np.flatnonzero(wanted == shape), np.flatnonzero(found == shape)
        if len(rows) <= len(columns):
            ways.append([list(zip(rows, chosen)) for chosen in itertools.permutations(columns, len(rows))])
        else:
            ways.append([list(zip(chosen, columns)) for chosen in itertools.permutations(rows, len(columns))])
    for parts in itertools.product(*ways):
        yield dict(pair for part in parts for pair in part)


def cost(wanted, found):
    """What a scene costs of which these (boxes, classes) are found, for a layout of those that are wanted."""
    presence = sum(abs((wanted[1] == shape).sum() - (found[1] == shape).sum()) for shape in range(len(CLASS_NAMES)))
    (centres, sides), (found_centres, found_sides) = (
        ((boxes[:, :2] + boxes[:, 2:]) / 2 / SIZE, np.sqrt((boxes[:, 2:] - boxes[:, :2]).prod(axis=1)) / SIZE)
        for boxes, _ in (wanted, found))
    nearest = nearest_others(centres)

    def geometry(assigned):
        total = 0
        for index, match in assigned.items():
            total += abs(sides[index] - found_sides[match])
            other = nearest[index]
            if other in assigned:
                first, second = centres[other] - centres[index], found_centres[assigned[other]] - found_centres[match]
                lengths = np.linalg.norm(first) * np.linalg.norm(second)
                total += 1.5 * abs(1 - first @ second / lengths) if lengths else 0
                ratio = sides[index] / sides[other] / (found_sides[match] / found_sides[assigned[other]])
                total += 0.5 * min(2, abs(math.log(ratio)))
        return total

    return 2 * presence + min(map(geometry, assignments(wanted[1], found[1])))


def count_first(scenes, found):
    """How many scenes cost least for the layout that was taken from them."""
    return sum(
        int(np.argmin([cost((boxes, classes), other) for other in found])) == index
        for index, (_, boxes, classes) in enumerate(scenes))


def main():
    anchors = read_anchors()
    model = keras.models.load_model(str(FOLDER / "scene-detector.h5"), compile=False)
    scenes = draw_set(np.random.RandomState(SEED))
    for folder in ("scenes", "layouts"):
        (FOLDER / folder).mkdir(exist_ok=True)
    for index, (picture, boxes, classes) in enumerate(scenes):
        drawing.write_png(FOLDER / "scenes" / "{:02}.png".format(index), picture)
        text = json.dumps(layout(boxes, classes)).replace("}, ", "},\n ")
        (FOLDER / "layouts" / "{:02}.json".format(index)).write_text(text + "\n")
    print("{} of {} come first".format(count_first(scenes, find(model, anchors, scenes)), COUNT))
    others = []
    for number in range(1, OTHER_SETS + 1):
        scenes = draw_set(np.random.RandomState(SEED + number))
        others.append(count_first(scenes, find(model, anchors, scenes)))
    print("of {} other sets: {}".format(OTHER_SETS, ", ".join(map(str, others))))


if __name__ == "__main__":
    main()
