#!/usr/bin/env bash
# Multi30k in a folder of its own, for the experiment multi30k_cpu.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/multi30k_cpu.sh [--from DIR | --url URL] [--output DIR]

Prepares Multi30k as data-prep/multi30k.sh does, whose --help explains the options.
The default folder of the corpus is output/data/multi30k_cpu.
TEXT
}

for option in "$@"; do
  [[ $option != --help ]] || { usage && exit; }
done
exec bash "$here/multi30k.sh" --output "$work/data/multi30k_cpu" "$@"
