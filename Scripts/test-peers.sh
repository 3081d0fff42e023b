#!/usr/bin/env bash
# Exports every recorded model and runs it in the target's own tools.
# Usage: test-peers.sh PROGRAM FOLDER
# FOLDER and FOLDER-NAME are Python environments; FOLDER/types has ONNX files of all types.
set -euo pipefail
program=$1 folder=$2
python=$folder/bin/python

# The interpreter of another environment.
of() { echo "$folder-$1/bin/python"; }

# Runs the script $1_peer.py with the other arguments.
peer() { "${interpreter:-$python}" "Tests/Peers/$1_peer.py" "$program" "${@:2}"; }

peer wbm
peer wbm_detector
peer safetensors
peer netron
interpreter=$(of keras3) peer keras
interpreter=$(of keras2) peer keras

peer onnx
"$python" Tests/Peers/onnx_types_peer.py "$folder/types"
peer onnx_nodes
for options in "--layout nchw" "--opset 13" "--opset 21" "--opset 23" "--precision float16" --fold-batch-norm; do
  peer onnx --only zoo $options
done
for encoding in int8 int4 palette6 float16 bfloat16; do
  peer onnx --only Models --compact $encoding
  peer coreml --only Models --compact $encoding
done
for encoding in int4 int4-block32 int8-block32; do
  peer onnx --only Models --opset 21 --compact $encoding
done
for encoding in int8 int4-block32 palette6 float16; do
  peer safetensors --only Models --compact $encoding --keep-integers
done
peer onnx_detector
peer onnx_opencv
peer ncnn
peer ncnn --only zoo --precision float16
peer tflite
peer tflite --only zoo --precision float16
peer tflite --only zoo --without-delegate
for encoding in int8 float16; do peer tflite --only Models --compact $encoding; done
peer tflite --activations int8
interpreter=$(of tflite) peer tflite --only zoo
interpreter=$(of tflite) peer tflite_metadata
peer tflite_writers "$(of litert-torch)" "$(of onnx2tf)"
interpreter=$(of pytorch) peer onnx_pytorch
interpreter=$(of pytorch) peer pytorch
interpreter=$(of pytorch) peer pytorch --only zoo --layout source
interpreter=$(of pytorch) peer pytorch --only zoo --precision float16
for group in "whole networks" Samples/Models; do interpreter=$(of pytorch) peer pytorch --only "$group" --tools; done
states() { interpreter=$(of pytorch) peer pytorch_states "$(of pytorch1.0)" "$(of pytorch1.6)" "$(of pytorch)" "$@"; }
states --only Samples/Models --count 20
for group in "whole networks" darknet/small; do states --only "$group" --count 10; done
interpreter=$(of pytorch) peer pytorch_detector
peer tfjs
peer coreml
peer coreml --only zoo --spec-version 5
peer coreml_sizes
peer mlprogram --read-back
peer mlprogram --only zoo --precision float16
for encoding in int8 int4 palette6; do
  for deployment in ios16 ios18; do
    peer mlprogram --only Models --compact $encoding --deployment $deployment
  done
done
for deployment in ios15 ios17 ios18; do peer mlprogram --only zoo --deployment $deployment; done
interpreter=$(of pytorch) peer article ToPyTorch
peer article ToCoreML ToNcnn ToONNX ToSafetensors ToTFLite
interpreter=$(of keras3) peer article ToKeras
