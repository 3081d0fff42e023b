#!/bin/sh
# Renews the committed C code that is made of the schemas: the message code of Sources/CLibraries/CWBM,
# Sources/CLibraries/CCoreML and Sources/CLibraries/CONNX (protoc-c), and the compiled schema that every .wbm file carries
# (protoc). Run it after any change of a .proto file.
#
# Debian: apt-get install protobuf-compiler protobuf-c-compiler
set -eu
cd "$(dirname "$0")"

# messages NAME TARGET: the message code of NAME.proto.
messages() {
  target=../Sources/CLibraries/$2
  mkdir -p "$target/include"
  protoc-c --c_out="$target" "$1.proto"
  mv "$target/$1.pb-c.h" "$target/include/$1.pb-c.h"
}

messages coreml CCoreML
messages onnx CONNX
messages wbm CWBM

# The schema as an array; `od` prints the bytes, `sed` makes C literals of them.
compiled=$(mktemp)
trap 'rm -f "$compiled"' EXIT
protoc --descriptor_set_out="$compiled" wbm.proto
{
  echo "/* Generated from Schemas/wbm.proto by Schemas/generate.sh. DO NOT EDIT! */"
  echo "#include \"wbm_schema.h\""
  echo
  echo "static const unsigned char schema[] = {"
  od -An -v -tx1 -w16 "$compiled" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g; s/^/  /'
  echo "};"
  echo
  echo "const unsigned char *wbm_schema(void) { return schema; }"
  echo
  echo "size_t wbm_schema_size(void) { return sizeof schema; }"
} >"$target/wbm_schema.c"
