"""Scenes: pictures of the shape detector's kind that have a composition, with at least two shapes.

Of one shape alone a layout's cost knows the size only, not the place, and sizes of different pictures are often equal
within a pixel.
"""

import numpy as np

from pictures import SIZE, draw_picture


def draw_scene(rng):
    """A picture uint8 [SIZE, SIZE, 3], its boxes in pixels [n, 4], and their classes [n]; n is 2 to 5."""
    while True:
        picture, boxes, classes = draw_picture(rng)
        if len(boxes) >= 2:
            return picture, boxes, classes


def varied(rng, scene):
    """The scene mirrored, turned by a right angle or neither, with its colour components in another order."""
    picture, boxes, classes = scene
    picture = picture[..., rng.permutation(3)]
    for axis in range(2):
        if rng.randint(2):
            picture = np.flip(picture, 1 - axis)
            boxes = boxes.copy()
            boxes[:, [axis, axis + 2]] = SIZE - boxes[:, [axis + 2, axis]]
    if rng.randint(2):
        picture, boxes = picture.transpose(1, 0, 2), boxes[:, [1, 0, 3, 2]]
    return picture, boxes, classes
