"""The YOLO v2 box encoding, its training targets and loss, and the measure of a detector's quality.

An output is [rows, columns, anchors * (5 + classes)]; per anchor the channels are x, y, width, height, objectness,
then the classes. In units of cells a box's centre is (column + sigmoid(x), row + sigmoid(y)), its size
(anchor width * exp(width), anchor height * exp(height)).
"""

import keras.backend as K
import numpy as np

from pictures import CLASS_NAMES, SIZE, intersection_over_union

STRIDE = 8
GRID = SIZE // STRIDE
ANCHOR_COUNT = 3
BOX_CHANNELS = 5 + len(CLASS_NAMES)
OUTPUT_SHAPE = (GRID, GRID, ANCHOR_COUNT * BOX_CHANNELS)

# The objectness target of an anchor that fits an object almost as well as the best one: no loss either way.
IGNORED = -1


def size_overlap(size, sizes):
    """Intersection over union of boxes with a common centre: one size with each of `sizes` [n, 2]."""
    intersection = np.minimum(size, sizes).prod(axis=1)
    return intersection / (size.prod() + sizes.prod(axis=1) - intersection)


def cluster_anchors(sizes):
    """Anchors [ANCHOR_COUNT, 2] by k-means over box sizes [n, 2], near meaning a high overlap."""
    by_area = sizes[sizes.prod(axis=1).argsort()]
    anchors = by_area[np.linspace(0, len(sizes) - 1, ANCHOR_COUNT + 2).astype(int)[1:-1]]
    for _ in range(30):
        nearest = np.array([size_overlap(size, anchors).argmax() for size in sizes])
        anchors = np.array([sizes[nearest == index].mean(axis=0) for index in range(ANCHOR_COUNT)])
    return anchors


def encode(boxes, classes, anchors):
    """The training target of one picture, in the output's shape."""
    target = np.zeros((GRID, GRID, ANCHOR_COUNT, BOX_CHANNELS), np.float32)
    for box, shape_class in zip(boxes / STRIDE, classes):
        centre, size = (box[:2] + box[2:]) / 2, box[2:] - box[:2]
        column, row = centre.astype(int)
        overlaps = size_overlap(size, anchors)
        target[row, column, overlaps > 0.6, 4] = IGNORED
        best = overlaps.argmax()
        target[row, column, best] = 0
        target[row, column, best, :2] = centre - (column, row)
        target[row, column, best, 2:4] = np.log(size / anchors[best])
        target[row, column, best, 4] = 1
        target[row, column, best, 5 + shape_class] = 1
    return target.reshape(OUTPUT_SHAPE)


def detection_loss(target, output):
    """The YOLO v2 loss with cross entropy for objectness and classes, per picture."""
    by_anchor = (-1, GRID, GRID, ANCHOR_COUNT, BOX_CHANNELS)
    target, output = K.reshape(target, by_anchor), K.reshape(output, by_anchor)
    is_object = K.cast(K.equal(target[..., 4], 1), "float32")
    is_empty = K.cast(K.equal(target[..., 4], 0), "float32")
    centre = K.sum(K.square(K.sigmoid(output[..., :2]) - target[..., :2]), axis=-1)
    size = K.sum(K.square(output[..., 2:4] - target[..., 2:4]), axis=-1)
    objectness = K.binary_crossentropy(is_object, output[..., 4], from_logits=True)
    classes = K.categorical_crossentropy(target[..., 5:], output[..., 5:], from_logits=True)
    losses = is_object * (5 * (centre + size) + 2 * objectness + classes) + 0.5 * is_empty * objectness
    return K.sum(losses, axis=[1, 2, 3])


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def candidates(output, anchors):
    """All boxes in pixels [n, 4] of one output and their scores [n, classes]."""
    output = output.reshape(GRID, GRID, ANCHOR_COUNT, BOX_CHANNELS).astype(np.float64)
    rows, columns = np.mgrid[:GRID, :GRID]
    cells = np.stack([columns, rows], axis=-1)[:, :, None]
    centres = (cells + sigmoid(output[..., :2])) * STRIDE
    sizes = anchors * np.exp(output[..., 2:4]) * STRIDE
    exponentials = np.exp(output[..., 5:] - output[..., 5:].max(axis=-1, keepdims=True))
    scores = sigmoid(output[..., 4:5]) * exponentials / exponentials.sum(axis=-1, keepdims=True)
    boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], axis=-1)
    return boxes.reshape(-1, 4), scores.reshape(-1, len(CLASS_NAMES))


def decode(output, anchors, threshold):
    """The boxes in pixels [n, 4], classes [n] and scores [n] of one output above `threshold`, best first."""
    boxes, scores = candidates(output, anchors)
    best = scores.max(axis=-1)
    kept = best > threshold
    order = (-best[kept]).argsort(kind="mergesort")
    return boxes[kept][order], scores.argmax(axis=-1)[kept][order], best[kept][order]


def suppress_overlaps(boxes, classes, scores, limit=0.45):
    """Drops boxes that overlap a better one of their class by more than `limit`; best first in, best first out."""
    kept = []
    for index in range(len(boxes)):
        rivals = [other for other in kept if classes[other] == classes[index]]
        if not rivals or intersection_over_union(boxes[index], boxes[rivals]).max() <= limit:
            kept.append(index)
    return boxes[kept], classes[kept], scores[kept]


def matches(detections, truth, shape_class):
    """(score, is correct) of each detection of a class in one picture: each true box is found at most once."""
    boxes, classes, scores = detections
    true_boxes = truth[0][truth[1] == shape_class]
    found = np.zeros(len(true_boxes), bool)
    result = []
    for box, score in zip(boxes[classes == shape_class], scores[classes == shape_class]):
        overlaps = intersection_over_union(box, true_boxes) if len(true_boxes) else np.zeros(1)
        best = overlaps.argmax()
        correct = overlaps[best] >= 0.5 and not found[best]
        if correct:
            found[best] = True
        result.append((score, correct))
    return result


def average_precision(scored, true_count):
    """The area under the precision-recall curve, precision being made falling from the right."""
    correct = np.array([is_correct for _, is_correct in sorted(scored, key=lambda pair: -pair[0])], float)
    if not len(correct):
        return 0.0
    precision = correct.cumsum() / np.arange(1, len(correct) + 1)
    falling = np.maximum.accumulate(precision[::-1])[::-1]
    return float((falling * correct).sum() / true_count)


def measure(detections, truths, confidence=0.5):
    """Mean average precision at overlap 0.5, and precision and recall of the detections above `confidence`."""
    precisions, confident, true_total = [], [], 0
    for shape_class in range(len(CLASS_NAMES)):
        scored = [pair for found, truth in zip(detections, truths) for pair in matches(found, truth, shape_class)]
        true_count = sum(int((classes == shape_class).sum()) for _, classes in truths)
        precisions.append(average_precision(scored, true_count))
        confident += [is_correct for score, is_correct in scored if score > confidence]
        true_total += true_count
    return np.mean(precisions), sum(confident) / max(1, len(confident)), sum(confident) / true_total
