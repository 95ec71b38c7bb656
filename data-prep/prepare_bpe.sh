#!/usr/bin/env bash
# From raw text to fairseq's binary data: tokens, subword units, dictionary.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"
# shellcheck source=data-prep/preparation.sh
source "$here/preparation.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/prepare_bpe.sh --output DIR [options]

Prepares DIR/raw/{train,valid,test}.<language>: Moses normalisation and
tokenisation, joint byte-pair encoding, binarisation with one joined dictionary.
Writes DIR/bpe and DIR/bin. What is done already is skipped, as long as the raw
files and the options are the same.

  --output DIR     folder of the corpus, which holds raw/
  --source LANG    language of the source (default en)
  --target LANG    language of the target (default de)
  --merges N       byte-pair merges, over both languages (default 10000)
  --help           show this text
TEXT
}

source_language=en target_language=de merges=10000 folder=
parse_options() {
  while (($#)); do
    case $1 in
      --output) take folder "$@" ;;
      --source) take source_language "$@" ;;
      --target) take target_language "$@" ;;
      --merges) take merges "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -n $folder ]] || fail "--output is missing; see --help"
  [[ $merges =~ ^[1-9][0-9]*$ ]] || fail "--merges must be a number above 0, not $merges"
}

check_raw_text() {
  local part
  for part in train valid test; do
    check_parallel "$folder/raw/$part".{"$source_language","$target_language"}
  done
}

# What the result depends on; a change makes everything again.
fingerprint() {
  echo "$source_language $target_language $merges"
  (cd "$folder/raw" && sha256sum {train,valid,test}."$source_language" \
    {train,valid,test}."$target_language")
  cat "${BASH_SOURCE[0]}" "$here/preparation.sh" | sha256sum
}

tokenise() {
  sacremoses --language "$2" --processes 1 --quiet normalize tokenize <"$1"
}

tokenise_all() {
  local part language raw
  for part in train valid test; do
    for language in "$source_language" "$target_language"; do
      raw="$folder/raw/$part.$language"
      step "$partial/bpe/$part.tokens.$language" tokenise "$raw" "$language"
      [[ $(count_lines "$raw") == $(count_lines "$partial/bpe/$part.tokens.$language") ]] ||
        fail "tokenising changed the number of lines of $raw; remove carriage returns"
    done
  done
}

learn_bpe() {
  subword-nmt learn-joint-bpe-and-vocab --symbols "$merges" \
    --input "$partial/bpe/train.tokens".{"$source_language","$target_language"} \
    --output "$partial/bpe/learned" \
    --write-vocabulary "$partial/bpe/vocabulary".{"$source_language","$target_language"} &&
    cat "$partial/bpe/learned" && rm "$partial/bpe/learned"
}

# With the vocabulary of the training text, merges that would make an unknown unit
# in valid or test are undone.
apply_bpe() {
  subword-nmt apply-bpe --codes "$partial/bpe/codes" --input "$1" \
    --vocabulary "$partial/bpe/vocabulary.$2" --vocabulary-threshold 1
}

apply_bpe_to_all() {
  local part language
  for part in train valid test; do
    for language in "$source_language" "$target_language"; do
      step "$partial/bpe/$part.$language" \
        apply_bpe "$partial/bpe/$part.tokens.$language" "$language"
    done
  done
}

binarise() {
  rm -rf "${partial:?}/bin" &&
    fairseq-preprocess --source-lang "$source_language" --target-lang "$target_language" \
      --trainpref "$partial/bpe/train" --validpref "$partial/bpe/valid" \
      --testpref "$partial/bpe/test" --joined-dictionary --destdir "$partial/bin" \
      --workers 1
}

prepare() {
  say "tokenising $(count_lines "$folder/raw/train.$source_language") pairs of sentences"
  tokenise_all
  say "learning $merges byte-pair merges"
  step "$partial/bpe/codes" learn_bpe
  say "splitting words into subword units"
  apply_bpe_to_all
  say "writing fairseq's binary data"
  step "$partial/binarised" binarise
}

main() {
  parse_options "$@"
  use_environment
  check_raw_text
  lock "$folder"
  wanted=$(fingerprint)
  prepare_once "$wanted" prepare
  say "prepared $folder/bin: $(wc -l <"$folder/bin/dict.$target_language.txt") subword units"
}

main "$@"
