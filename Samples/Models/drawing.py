"""Anti-aliased shapes as coverage masks, and a PNG writer.

A mask is a float array [height, width] from 0 (outside) to 1 (inside). Points are (x, y) in pixels; the centre of
the pixel in column c and row r is (c + 0.5, r + 0.5).
"""

import struct
import zlib

import numpy as np


def pixel_centres(size):
    """The x and y of all pixel centres of a size x size picture, two arrays [size, size]."""
    axis = np.arange(size) + 0.5
    return np.meshgrid(axis, axis)


def coverage(distance):
    """The mask of the points at a negative distance, with an edge one pixel wide."""
    return np.clip(0.5 - distance, 0, 1)


def convex_polygon(size, corners):
    """The mask of a filled convex polygon; its corners turn from the x axis towards the y axis."""
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
    x, y = (axis[top:bottom, left:right] for axis in pixel_centres(size))
    distance = np.full(x.shape, -np.inf)
    for start, end in zip(corners, np.roll(corners, -1, axis=0)):
        along = (end - start) / np.linalg.norm(end - start)
        outwards = along[1] * (x - start[0]) - along[0] * (y - start[1])
        distance = np.maximum(distance, outwards)
    mask = np.zeros((size, size))
    mask[top:bottom, left:right] = coverage(distance)
    return mask


def stroke(size, points, width):
    """The mask of a line through `points` with round ends and corners."""
    x, y = pixel_centres(size)
    distance = np.full((size, size), np.inf)
    for start, end in zip(points[:-1], points[1:]):
        step = end - start
        length_squared = max(float(step @ step), 1e-9)
        position = np.clip(((x - start[0]) * step[0] + (y - start[1]) * step[1]) / length_squared, 0, 1)
        distance = np.minimum(distance, np.hypot(x - start[0] - position * step[0], y - start[1] - position * step[1]))
    return coverage(distance - width / 2)


def rotation(angle):
    """The matrix that turns row vectors by `angle` radians: points @ rotation(angle)."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def write_png(path, picture):
    """Writes uint8 pixels [height, width, 3] as an RGB PNG, or [height, width] as a grayscale one."""
    height, width = picture.shape[:2]
    colour_type = 2 if picture.ndim == 3 else 0
    rows = picture.reshape(height, -1)
    unfiltered = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    with open(str(path), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)))
        file.write(png_chunk(b"IDAT", zlib.compress(unfiltered, 9)))
        file.write(png_chunk(b"IEND", b""))


def png_chunk(kind, content):
    """A PNG chunk: length, kind, content, checksum."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
