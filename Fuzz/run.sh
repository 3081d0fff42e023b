#!/bin/bash
# Runs libFuzzer on every reader, or on the named ones, and prints what each did.
#
#   Fuzz/run.sh PROGRAM FOLDER SECONDS [TARGET...]
#
# FOLDER keeps the inputs that reached new code (`corpus/TARGET`), those that ended the program
# (`found/TARGET`), and what libFuzzer said (`TARGET.log`). The status is 1 when something was found.
set -u
program=$1 folder=$2 seconds=$3
shift 3
targets=${*:-$("$program" list)}
status=0
printf '%-14s %12s %9s %9s %7s %s\n' target executions coverage features corpus found
for target in $targets; do
  corpus=$folder/corpus/$target found=$folder/found/$target seeds=$folder/seeds/$target
  mkdir -p "$corpus" "$found"
  "$program" seeds "$target" "$seeds" || exit
  "$program" "$target" "$corpus" "$seeds" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=2048 -max_len=131072 -artifact_prefix="$found/" -print_final_stats=1 \
    > "$folder/$target.log" 2>&1 || status=1
  # The last line with figures: #N ... cov: C ft: F corp: N/size ...
  last=$(grep -E '^#[0-9]+.*cov:' "$folder/$target.log" | tail -n 1)
  printf '%-14s %12s %9s %9s %7s %s\n' "$target" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")" \
    "$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' <<< "$last")" \
    "$(sed -n 's/.*ft: \([0-9]*\).*/\1/p' <<< "$last")" \
    "$(sed -n 's/.*corp: \([0-9]*\).*/\1/p' <<< "$last")" \
    "$(find "$found" -type f | wc -l)"
done
exit $status
