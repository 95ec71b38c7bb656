#!/usr/bin/env bash
# Multi30k, and initial values for its models from word vectors.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"
# shellcheck source=scripts/options.sh
source "$repository/scripts/options.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/multi30k_vectors.sh [--from DIR] [--vectors FILE] [--output DIR]

Prepares Multi30k as data-prep/multi30k.sh does, and fits a look-up table (lookup.pt) and
ALONE with real filters (alone_real_half.pt) to the vectors of those words that the
dictionary has whole. The same command carries on where a kill stopped it.

  --from DIR      take Multi30k's files from DIR, see data-prep/multi30k.sh
  --vectors FILE  vectors of 300 numbers: GloVe, word2vec or fastText, plain or gzipped
                  (default: what was fitted before, else GloVe, by data-prep/glove.sh)
  --output DIR    folder of the corpus (default output/data/multi30k_vectors)
  --help          show this text
TEXT
}

from='' vectors='' output="$work/data/multi30k_vectors"

fit() { # fit NAME FLAG...
  local name=$1
  shift
  say "fitting $name to word vectors"
  alone-fairseq reconstruct "$vectors" --dictionary "$output/bin/dict.en.txt" \
    --output "$output/$name.pt" --json "$output/$name.json" "$@"
}

main() {
  read_options '' 'from vectors output' '' "$@"
  [[ -z $vectors || -f $vectors ]] || fail "--vectors: no file $vectors"
  use_environment
  bash "$here/multi30k.sh" --output "$output" ${from:+--from "$from"}
  if [[ -z $vectors && -f $output/lookup.json && -f $output/alone_real_half.json ]]; then
    say "initial values: $output/{lookup,alone_real_half}.pt (there already)"
    return
  fi
  if [[ -z $vectors ]]; then
    bash "$here/glove.sh"
    vectors="$work/data/glove/glove.6B.300d.txt"
  fi
  fit lookup --embedding-method lookup
  fit alone_real_half --alone-filter real --alone-base-dim 512 --alone-inter-dim 1809
  say "initial values: $output/{lookup,alone_real_half}.pt"
}

main "$@"
