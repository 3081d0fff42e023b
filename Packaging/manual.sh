#!/usr/bin/env bash
# Generates the manual pages of the program and of each of its commands, with swift-argument-parser's own tool.
# Usage: manual.sh GENERATE-MANUAL PROGRAM FOLDER, with SOURCE_DATE_EPOCH in the environment.
#
# The tool names a command's page weighbridge.convert. It is renamed to weighbridge-convert, which is what `man
# weighbridge convert` looks for, and empty lines are replaced by paragraph macros.
set -euo pipefail
tool=$1 program=$2 folder=$3

date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F 2>/dev/null || date -u -r "$SOURCE_DATE_EPOCH" +%F)
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$tool" "$program" --multi-page --section 1 --date "$date" --output-directory "$pages"

mkdir -p "$folder"
rm -f "$folder"/weighbridge*.1
for page in "$pages"/*.1; do
  name=$(basename "$page" .1)
  command=${name//./ } name=${name//./-}
  {
    sed -e 's/^$/.Pp/' \
      -e "s/^\.Nm \"$command\"\$/.Nm $name/;t" \
      -e "s/^\.Nm\$/.Nm \"$command\"/" \
      -e 's/^\.Nd "\(.*[^.]\)\.*"$/.Nd \1/' \
      -e 's/^\.Xr weighbridge\./.Xr weighbridge-/' \
      -e 's/^\.Dt WEIGHBRIDGE\./.Dt WEIGHBRIDGE-/' \
      "$page"
    echo
  } > "$folder/$name.1"
done
