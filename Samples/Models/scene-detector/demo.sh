#!/usr/bin/env bash
# Searches 60 drawn scenes by composition and 200 drawn sketches by likeness; shows each command. A test compares
# what it prints with the article "From a folder to a search".
#
# usage: demo.sh PROGRAM FOLDER    (the folder to work in; made if it is not there)
set -euo pipefail
exec 2>&1
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
sample=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cp -R "$sample"/{scene-detector.h5,scenes,layouts} "$sample"/../shape-detector/{anchors.txt,labels.names} "$2"
cp -R "$sample"/../sketch-classifier/{sketch-classifier.h5,sketches} "$2"
cd "$2"

weighbridge() { "$program" "$@"; }

show() {
  printf '$ %s\n' "$1"
  eval "$1"
}

# How many of the layouts have the scene that they were taken from as the best of all.
count_scenes() {
  local first=0 layout name found
  for layout in layouts/*.json; do
    name=$(basename "$layout" .json)
    found=$(weighbridge search --in scenes.db --layout "$layout" --max-cost 100 --top 1)
    if [[ $found == *"/$name.png"* ]]; then first=$((first + 1)); fi
  done
  echo "$first of 60 scenes come first"
}

# How many of the sketches have one of their own class as the nearest. A query's line is followed by the table's
# head and its first row.
count_sketches() {
  weighbridge similar sketches/*.png --in sketches.db --top 1 | awk '
    function class(path) { sub(/.*-/, "", path); return path }
    NF == 1 { query = class($1) }
    NF == 2 && $1 != "distance" { if (class($2) == query) right += 1; all += 1 }
    END { print right " of " all " sketches have one of their own class beside them" }'
}

show 'weighbridge convert scene-detector.h5 -o scenes.wbm --image-input input_1 --image-scale 1/255 \
    --detector region --anchors "$(cat anchors.txt)" --labels labels.names'
# Where the model hesitates between two classes, the better one counts.
show 'weighbridge index scenes --model scenes.wbm -o scenes.db --suppression class-agnostic'
show 'weighbridge search --in scenes.db --layout layouts/07.json --top 3 | grep -o "scenes/.*"'
show 'count_scenes'
echo
show 'weighbridge index sketches --model sketch-classifier.h5 --features dense_1 -o sketches.db \
    --image-input conv2d_1_input --image-scale 1/255'
show 'weighbridge similar sketches/007-star.png --in sketches.db --top 3 | sed "s|/.*/sketches|sketches|"'
show 'count_sketches'
