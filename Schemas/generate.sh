#!/bin/sh
# Renews the committed C code of Sources/CWBM from wbm.proto: the message code (protoc-c) and the
# compiled schema that every .wbm file carries (protoc). Run it after any change of wbm.proto.
#
# Debian: apt-get install protobuf-compiler protobuf-c-compiler
set -eu
cd "$(dirname "$0")"
target=../Sources/CWBM
mkdir -p "$target/include"

protoc-c --c_out="$target" wbm.proto
mv "$target/wbm.pb-c.h" "$target/include/wbm.pb-c.h"

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
