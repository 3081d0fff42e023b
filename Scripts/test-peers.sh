#!/usr/bin/env bash
# Exports every recorded model and runs it in the target's own tools.
# Usage: test-peers.sh PROGRAM PYTHON PYTHON-KERAS-3 PYTHON-KERAS-2 PYTHON-TFLITE PYTHON-PYTORCH PYTHON-PYTORCH-1.0
# PYTHON-PYTORCH-1.6 TYPES; each PYTHON is that of an environment, and TYPES a folder with ONNX files of all types.
set -euo pipefail
program=$1 python=$2 keras3=$3 keras2=$4 tflite=$5 pytorch=$6 pytorch10=$7 pytorch16=$8 types=$9

# Runs the script $1_peer.py with the other arguments.
peer() { "${interpreter:-$python}" "Tests/Peers/$1_peer.py" "$program" "${@:2}"; }

peer wbm
peer wbm_detector
peer safetensors
peer netron
interpreter=$keras3 peer keras
interpreter=$keras2 peer keras

peer onnx
"$python" Tests/Peers/onnx_types_peer.py "$types"
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
interpreter=$tflite peer tflite --only zoo
interpreter=$tflite peer tflite_metadata
interpreter=$pytorch peer onnx_pytorch
interpreter=$pytorch peer pytorch
interpreter=$pytorch peer pytorch --only zoo --layout source
interpreter=$pytorch peer pytorch --only zoo --precision float16
for group in "whole networks" Samples/Models; do interpreter=$pytorch peer pytorch --only "$group" --tools; done
states() { interpreter=$pytorch peer pytorch_states "$pytorch10" "$pytorch16" "$pytorch" "$@"; }
states --only Samples/Models --count 20
for group in "whole networks" darknet/small; do states --only "$group" --count 10; done
interpreter=$pytorch peer pytorch_detector
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
interpreter=$pytorch peer article ToPyTorch
peer article ToCoreML ToNcnn ToONNX ToSafetensors ToTFLite
interpreter=$keras3 peer article ToKeras
