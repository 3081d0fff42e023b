#!/usr/bin/env bash
# Runs the tests of the engine and of the decoders again: with AVX-512 alone, with AVX-VNNI, with AVX2, which most
# machines have, and with what all have. Where an instruction set is missing, and on ARM, they would repeat the same
# tests.
# Usage: test-instruction-sets.sh OPTION...; the options are those of `swift test`.
set -euo pipefail
features=" $(grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null \
  || sysctl -n machdep.cpu.features machdep.cpu.leaf7_features 2>/dev/null | tr 'A-Z\n' 'a-z ' || true) "
# Of recorded networks, what runs in the engine.
tests='CPURuntimeTests|TensorEncodingTests|DarknetFixtureTests/(layers|batches)|FixtureModelTests/outputs'

# Runs the tests with the instruction set $1 if the processor has the features that follow.
run() {
  local instructions=$1 feature
  shift
  for feature; do
    if [[ $features != *" $feature "* ]]; then
      echo "This processor has no $feature: the tests with $instructions are skipped."
      return
    fi
  done
  echo "The tests with $instructions:"
  WEIGHBRIDGE_MAX_ISA=$instructions swift test "${options[@]}" --skip-build --filter "$tests"
}

options=("$@")
run avx512 avx512f avx512vl avx512dq avx512bw
run avx2_vnni avx2 fma avx_vnni
run avx2 avx2 fma
run portable fpu
