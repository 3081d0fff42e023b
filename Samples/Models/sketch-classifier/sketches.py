"""Synthetic sketches: one wobbly stroke figure of a known category on an empty page."""

import numpy as np

import drawing

SIZE = 64


def circle_points(turns=1.0, start=0.0, count=40):
    """Points on the unit circle."""
    angles = start + np.linspace(0, 2 * np.pi * turns, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def closed_polygon(corner_count):
    """The outline of a regular polygon; the last point is the first."""
    return circle_points(count=corner_count + 1)


def line(rng):
    return [np.array([[-1.0, 0], [1, 0]])]


def cross(rng):
    second = np.array([[0, -1.0], [0, 1]]) * rng.uniform(0.7, 1.2)
    return line(rng) + [second @ drawing.rotation(rng.uniform(-0.3, 0.3))]


def circle(rng):
    return [circle_points(turns=rng.uniform(0.95, 1.05)) * (1, rng.uniform(0.75, 1))]


def square(rng):
    return [closed_polygon(4) @ drawing.rotation(np.pi / 4) * (1, rng.uniform(0.75, 1))]


def triangle(rng):
    return [closed_polygon(3) * (1, rng.uniform(0.75, 1.2))]


def zigzag(rng):
    count = rng.randint(5, 8)
    heights = rng.uniform(0.35, 0.6) * (-1) ** np.arange(count)
    return [np.stack([np.linspace(-1, 1, count), heights], axis=1)]


def spiral(rng):
    points = circle_points(turns=rng.uniform(2, 3), count=70)
    return [points * np.linspace(0.08, 1, 70)[:, None]]


def star(rng):
    return [closed_polygon(5)[[0, 2, 4, 1, 3, 0]]]


CATEGORIES = [line, cross, circle, square, triangle, zigzag, spiral, star]
LABELS = [category.__name__ for category in CATEGORIES]


def with_wobble(rng, points, amount=0.025):
    """A polyline that follows `points` as an unsteady hand does: dense points, moved by smoothed noise."""
    positions = np.linspace(0, len(points) - 1, max(25, len(points)))
    dense = np.stack([np.interp(positions, np.arange(len(points)), column) for column in points.T], axis=1)
    noise = rng.normal(0, 1, (len(dense) + 4, 2))
    smooth = sum(noise[shift:shift + len(dense)] for shift in range(5)) / np.sqrt(5)
    return dense + amount * smooth


def draw_sketch(rng, category):
    """A sketch uint8 [SIZE, SIZE], white ink on black."""
    turn = drawing.rotation(rng.uniform(0, 2 * np.pi)) * rng.uniform(14, 26)
    strokes = [with_wobble(rng, points) @ turn for points in category(rng)]
    reach = np.abs(np.concatenate(strokes)).max(axis=0)
    room = np.maximum(SIZE / 2 - 3 - reach, 0)
    centre = SIZE / 2 + rng.uniform(-room, room)
    width = rng.uniform(1.2, 3)
    ink = np.max([drawing.stroke(SIZE, points + centre, width) for points in strokes], axis=0)
    return (ink * 255).round().astype(np.uint8)


def draw_sketches(rng, count):
    """Sketches [count, SIZE, SIZE] of random categories, and the categories' indices."""
    indices = rng.randint(len(CATEGORIES), size=count)
    return np.stack([draw_sketch(rng, CATEGORIES[index]) for index in indices]), indices
