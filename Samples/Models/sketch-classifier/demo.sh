#!/usr/bin/env bash
# Converts the sketch classifier, says what 200 drawn sketches show, takes the features out of it, and
# softens a picture with the network beside it; shows each command. A test checks what it prints.
#
# usage: demo.sh PROGRAM FOLDER    (the folder to work in; made if it is not there)
set -euo pipefail
exec 2>&1
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
sample=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cp -R "$sample"/{sketch-classifier.h5,labels.names,input.npy,outputs.npz,sketches} "$2"
cp "$sample"/../softening/{softening.h5,wide.png} "$2"
cd "$2"

weighbridge() { "$program" "$@"; }

show() {
  printf '$ %s\n' "$1"
  eval "$1"
}

show 'weighbridge convert sketch-classifier.h5 -o sketches.wbm --input-name sketch \
    --image-input sketch --image-scale 1/255 --labels labels.names \
    --reference-inputs input.npy --reference-outputs outputs.npz --reference-by "keras 2.1.5"'
echo
show 'weighbridge classify sketches.wbm sketches/007-star.png --top 3'
echo
show 'weighbridge classify sketches.wbm sketches --top 1 --quiet -o sheet.png | grep -c %'
echo
show 'weighbridge cut sketches.wbm --output dense_1 -o features.wbm'
show 'weighbridge verify features.wbm | tail -n 1'
echo
show 'weighbridge stylize softening.h5 wide.png -o soft.png --image-input photo --image-scale 1/255'
echo
show 'weighbridge swift sketches.wbm -o Sketches.swift'
show 'grep -c "public func" Sketches.swift'
