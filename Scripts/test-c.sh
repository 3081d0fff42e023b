#!/usr/bin/env bash
# Compiles the tests of the interface for C against a library and runs them.
# Usage: test-c.sh LIBRARY-FOLDER CYCLES [FLAG...] [-- COMMAND...]; the flags are the compiler's, the command runs the
# tests, such as valgrind. CC is the compiler, clang by default.
set -euo pipefail
library=$(cd "$1" && pwd) cycles=$2
shift 2
flags=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do flags+=("$1"); shift; done
if [ $# -gt 0 ]; then shift; fi

folder=.build/c-tests
export PKG_CONFIG_PATH=$library/lib/pkgconfig
# Compiles the sources to the program $1.
compile() {
  "${CC:-clang}" -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror ${flags[@]+"${flags[@]}"} "${@:2}" \
    $(pkg-config --cflags --libs weighbridge) -Wl,-rpath,"$library/lib" -lm -lpthread -o "$1"
}

rm -rf $folder/written
mkdir -p $folder/written
compile $folder/interface Tests/CInterface/*.c
"$@" $folder/interface Samples $folder/written "$cycles"

# The program in the article.
awk '/^```c$/ { code = 1; next } /^```$/ { code = 0 } code' \
  Sources/Product/Weighbridge/Weighbridge.docc/CInterface.md > $folder/article.c
compile $folder/article $folder/article.c
"$@" $folder/article Samples/Models/shape-detector/shape-detector.h5
