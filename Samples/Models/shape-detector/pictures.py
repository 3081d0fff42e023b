"""Synthetic pictures of coloured shapes and the boxes around them."""

import numpy as np

import drawing

SIZE = 88
CLASS_NAMES = ["ellipse", "rectangle", "triangle"]
ELLIPSE, RECTANGLE, TRIANGLE = range(3)


def draw_background(rng):
    """A linear colour gradient with noise, float [SIZE, SIZE, 3] from 0 to 1."""
    x, y = drawing.pixel_centres(SIZE)
    angle = rng.uniform(0, 2 * np.pi)
    position = ((x * np.cos(angle) + y * np.sin(angle)) / SIZE + 1.5) / 3
    first, second = rng.uniform(0.05, 0.95, (2, 3))
    noise = rng.normal(0, rng.uniform(0.01, 0.04), (SIZE, SIZE, 3))
    return first + position[..., None] * (second - first) + noise


def draw_outline(rng, shape_class):
    """Corners of a wide or tall shape of radius about 1 around the origin, [corners, 2]."""
    if shape_class == ELLIPSE:
        angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    elif shape_class == RECTANGLE:
        angles = np.pi / 4 + np.arange(4) * np.pi / 2
    else:
        angles = rng.uniform(0, 2 * np.pi) + np.arange(3) * 2 * np.pi / 3 + rng.uniform(-0.4, 0.4, 3)
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    stretch = np.exp(rng.uniform(-0.4, 0.4))
    return corners * (stretch, 1 / stretch) @ drawing.rotation(rng.uniform(-0.3, 0.3))


def contrasting_colour(rng, background_colour):
    """A random colour that differs clearly from `background_colour`."""
    while True:
        colour = rng.uniform(0, 1, 3)
        if np.linalg.norm(colour - background_colour) > 0.5:
            return colour


def intersection_over_union(box, boxes):
    """The overlap of one box with each of `boxes` [n, 4]; a box is left, top, right, bottom."""
    width = np.minimum(box[2], boxes[:, 2]) - np.maximum(box[0], boxes[:, 0])
    height = np.minimum(box[3], boxes[:, 3]) - np.maximum(box[1], boxes[:, 1])
    intersection = np.maximum(width, 0) * np.maximum(height, 0)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return intersection / ((box[2] - box[0]) * (box[3] - box[1]) + areas - intersection)


def place_shape(rng, shape_class, boxes):
    """Corners in pixels and box of a shape that is inside the picture and clear of `boxes`, or None."""
    corners = draw_outline(rng, shape_class) * np.exp(rng.uniform(np.log(10), np.log(24)))
    low, high = corners.min(axis=0), corners.max(axis=0)
    if (high - low > SIZE - 4).any():
        return None
    offset = rng.uniform(2 - low, SIZE - 2 - high)
    box = np.concatenate([low + offset, high + offset])
    if boxes and intersection_over_union(box, np.array(boxes)).max() > 0.02:
        return None
    return corners + offset, box


def draw_picture(rng):
    """A picture uint8 [SIZE, SIZE, 3], its boxes in pixels [n, 4], and their classes [n]."""
    picture = draw_background(rng)
    boxes, classes = [], []
    for _ in range(rng.randint(1, 6)):
        shape_class = rng.randint(len(CLASS_NAMES))
        placed = place_shape(rng, shape_class, boxes)
        if placed is None:
            continue
        corners, box = placed
        centre = corners.mean(axis=0).astype(int)
        colour = contrasting_colour(rng, picture[centre[1], centre[0]]) + rng.normal(0, 0.02, (SIZE, SIZE, 3))
        picture += drawing.convex_polygon(SIZE, corners)[..., None] * (colour - picture)
        boxes.append(box)
        classes.append(shape_class)
    return (np.clip(picture, 0, 1) * 255).round().astype(np.uint8), np.array(boxes), np.array(classes)
