#!/usr/bin/env bash
# The toy corpus, English to German, made on the spot and ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/toy.sh [--output DIR]

Writes the corpus of data-prep/toy_en_de.py (20,000 training, 500 validation and 500
test pairs) and prepares it: tokens, joint byte-pair merges, binary data.

  --output DIR   folder of the corpus (default output/data/toy)
  --help         show this text
TEXT
}

folder="$work/data/toy"
while (($#)); do
  case $1 in
    --output) take folder "$@" ;;
    --help) usage && exit ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift 2
done

use_environment
mkdir -p "$folder"
generator=$(cat "$here/toy_en_de.py" "$here"/toy_language/*.py | sha256sum)
if [[ $(cat "$folder/generator" 2>/dev/null) != "$generator" ]]; then
  say "writing the toy corpus"
  rm -rf "$folder/raw" "$folder/raw.partial"
  python "$here/toy_en_de.py" "$folder/raw.partial"
  mv "$folder/raw.partial" "$folder/raw"
  printf '%s\n' "$generator" >"$folder/generator"
fi
bash "$here/prepare_bpe.sh" --output "$folder" --merges 4000
