#!/usr/bin/env bash
# The toy corpus, English to German, made on the spot and ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/toy.sh [--output DIR]

Writes sentence pairs of the words and rules in data-prep/toy_en_de.toml (20,000 for
training, 500 for validation, 500 for the test) and prepares them: tokens, joint byte-pair
merges, binary data.

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
export PYTHONPATH="$repository${PYTHONPATH:+:$PYTHONPATH}"
generator=$(cat "$here/toy_en_de.toml" "$repository"/alone_experiments/corpora/toy/*.py | sha256sum)
if [[ $(cat "$folder/generator" 2>/dev/null) != "$generator" ]]; then
  say "writing the toy corpus"
  python -m alone_experiments.corpora.toy "$folder"
  printf '%s\n' "$generator" >"$folder/generator"
fi
bash "$here/prepare_bpe.sh" --output "$folder" --merges 4000
