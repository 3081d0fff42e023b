#!/usr/bin/env python3
"""Plots the results of measure.py: the size of the weights against the error of the outputs, as SVG.

usage: plot.py MEASURED.json OUT.svg
"""

import json
import math
import pathlib
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 60, 150, 20, 50
COLORS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad"]
ERRORS = (-3.2, -0.8)
SHARES = (0, 60)


def place(error, share):
    """Returns a point's coordinates: the error on a logarithmic axis, the fraction of the plain size on a linear
    one."""
    across = (math.log10(error) - ERRORS[0]) / (ERRORS[1] - ERRORS[0])
    up = (share - SHARES[0]) / (SHARES[1] - SHARES[0])
    return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def main():
    measured = json.loads(pathlib.Path(sys.argv[1]).read_text())
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12" role="img">',
             "<title>Size of the weights against the error of the outputs</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for exponent in (-3, -2, -1):
        x, y = place(10 ** exponent, SHARES[0])
        parts.append(f'<path d="M{x:.1f} {y:.1f}V{TOP}" stroke="#ddd"/>')
        parts.append(text(x, y + 18, f"{10 ** exponent:g}"))
    for share in range(0, SHARES[1] + 1, 10):
        x, y = place(10 ** ERRORS[0], share)
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(x - 6, y + 4, f"{share} %", "end"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "relative error of the outputs, the worst"))
    rightmost = {}
    for color, (name, rows) in zip(COLORS, measured.items()):
        points = []
        for label, row in rows.items():
            if not row or row["worst"] == 0:
                continue
            x, y = place(row["worst"], 100 * row["bytes"] / row["plain"])
            if not (LEFT <= x <= WIDTH - RIGHT and TOP <= y <= HEIGHT - BOTTOM):
                continue
            if label.startswith("--max-error"):
                points.append((x, y))
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>')
            else:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="white" stroke="{color}"/>')
                encoding = label.split()[1]
                rightmost[encoding] = max(rightmost.get(encoding, (0, 0)), (x, y))
        points.sort()
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        parts.append(f'<g fill="{color}">'
                     f'{text(WIDTH - RIGHT + 8, TOP + 20 + 20 * COLORS.index(color), name, "start")}</g>')
    for encoding, (x, y) in rightmost.items():
        below = 14 if encoding.startswith("int") else -4
        parts.append(f'<g font-size="10">{text(x + 5, y + below, encoding, "start")}</g>')
    parts.append("</svg>\n")
    pathlib.Path(sys.argv[2]).write_text("\n".join(parts))


if __name__ == "__main__":
    main()
