#!/usr/bin/env bash
# Converts the shape detector with all there is to say of it, looks into the file, verifies it, and
# finds the shapes of a picture; shows each command. `make demo` runs it, and a test compares what it prints with the README.
#
# usage: demo.sh PROGRAM FOLDER    (the folder to work in; made if it is not there)
set -euo pipefail
exec 2>&1
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
sample=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cp "$sample"/{shape-detector.h5,anchors.txt,labels.names,input.npy,outputs.npz,picture.png} "$2"
cd "$2"

weighbridge() { "$program" "$@"; }

show() {
  printf '$ %s\n' "$1"
  eval "$1"
}

show 'weighbridge convert shape-detector.h5 -o shape-detector.wbm \
    --input-name image --output-name grid --image-input image --image-scale 1/255 \
    --author "The Weighbridge authors" --license Apache-2.0 \
    --description "Finds ellipses, rectangles and triangles in a drawn picture" \
    --input-description "image=88x88 RGB picture" \
    --output-description "grid=11x11 cells of [x, y, w, h, objectness, 3 x classes] * 3 boxes" \
    --detector region --anchors "$(cat anchors.txt)" --labels labels.names \
    --reference-inputs input.npy --reference-outputs outputs.npz --reference-by "keras 2.1.5"'
echo
show 'weighbridge inspect shape-detector.wbm --layers'
echo
show 'weighbridge verify shape-detector.wbm --against shape-detector.h5'
echo
show 'weighbridge detect shape-detector.wbm picture.png -o found.png'
