#!/usr/bin/env bash
# Makes the files that the articles of the documentation speak of; the tests run their commands and code there.
#
# usage: articles.sh PROGRAM FOLDER    (the folder is made if it is not there)
set -euo pipefail
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
samples=$(cd "$(dirname "$0")" && pwd)
"$samples/shape-detector/demo.sh" "$program" "$2" > /dev/null
cd "$2"
weighbridge() { "$program" "$@" --quiet; }

cp -R "$samples"/sketch-classifier/{sketch-classifier.h5,sketches} .
cp -R "$samples"/scene-detector/{scene-detector.h5,scenes,layouts} .
cp "$samples"/softening/{softening.h5,wide.png} .
cp -R "$samples/../TensorFlow/2.15/sequential_cnn/saved_model" my_model
cp -R "$samples/../TensorFlow/graphs/2.21/keras/saved_model" exported
cp "$samples"/../TensorFlow/2.15/sequential_cnn/weights.{index,data-00000-of-00001} .
cp "$samples/../TensorFlow/2.15/sequential_cnn/architecture.json" model.json
weighbridge convert sketch-classifier.h5 -o sketches.wbm --input-name sketch --image-input sketch \
  --image-scale 1/255 --labels "$samples/sketch-classifier/labels.names" --reference-by "keras 2.1.5" \
  --reference-inputs "$samples/sketch-classifier/input.npy" \
  --reference-outputs "$samples/sketch-classifier/outputs.npz"
weighbridge convert scene-detector.h5 -o scenes.wbm --image-input input_1 --image-scale 1/255 \
  --detector region --anchors "$(cat anchors.txt)" --labels labels.names
# Weights that somebody trained.
weighbridge export shape-detector.h5 -o trained.safetensors
