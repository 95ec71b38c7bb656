#!/usr/bin/env bash
# From pairs of article and title to fairseq's binary data: subword units, characters.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"
# shellcheck source=data-prep/preparation.sh
source "$here/preparation.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/prepare_headlines.sh --output DIR [options]

Prepares DIR/raw/{train,valid,test}.{article,title}, which hold tokens: articles become
subword units (byte-pair encoding, learned on the training articles alone), titles
become characters with @@@@ between words, and both get one joined dictionary. Writes
DIR/bpe and DIR/bin. What is done already is skipped, as long as the raw files and the
options are the same. Nothing is lost on the way: alone-fairseq subwords --decode and
alone-fairseq characters --decode give the text back.

  --output DIR      folder of the corpus, which holds raw/
  --vocabulary N    subword units of the source (default 16000)
  --training DIR    prepare raw/test.{article,title} only, with the subword units and the
                    dictionary of the prepared corpus in DIR
  --workers N       processes that binarise (default: one a core)
  --help            show this text
TEXT
}

vocabulary=16000 folder='' training='' workers=$(nproc)
parse_options() {
  while (($#)); do
    case $1 in
      --output) take folder "$@" ;;
      --vocabulary) take vocabulary "$@" ;;
      --training) take training "$@" ;;
      --workers) take workers "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -n $folder ]] || fail "--output is missing; see --help"
  [[ $vocabulary =~ ^[1-9][0-9]*$ ]] ||
    fail "--vocabulary must be a number above 0, not $vocabulary"
  [[ $workers =~ ^[1-9][0-9]*$ ]] || fail "--workers must be a number above 0, not $workers"
  parts=(train valid test) units=(--vocabulary "$vocabulary")
  [[ -z $training ]] || use_training
}

use_training() {
  parts=(test) units=(--codes "$training/bpe/codes")
  dictionaries=("$training"/bin/dict.{article,title}.txt)
  local file
  for file in "$training/bpe/codes" "${dictionaries[@]}"; do
    [[ -f $file ]] || fail "--training: no $file; prepare that corpus first"
  done
}

check_raw_text() {
  local part
  for part in "${parts[@]}"; do
    check_parallel "$folder/raw/$part".{article,title}
  done
}

# What the result depends on; a change makes everything again.
fingerprint() {
  echo "${parts[*]} ${training:-$vocabulary}"
  (cd "$folder/raw" && sha256sum "${parts[@]/%/.article}" "${parts[@]/%/.title}")
  [[ -z $training ]] || sha256sum "$training/bpe/codes" "${dictionaries[@]}"
  cat "${BASH_SOURCE[0]}" "$here/preparation.sh" "$repository"/alone_experiments/corpora/headlines/headline_units.py \
    "$repository"/alone_experiments/text/{characters,subwords}.py | sha256sum
}

binarise() {
  local part inputs=()
  for part in "${parts[@]}"; do inputs+=("--${part}pref" "$partial/bpe/$part"); done
  if [[ -n $training ]]; then
    inputs+=(--srcdict "${dictionaries[0]}" --tgtdict "${dictionaries[1]}")
  else
    inputs+=(--joined-dictionary)
  fi
  rm -rf "${partial:?}/bin" &&
    fairseq-preprocess --source-lang article --target-lang title "${inputs[@]}" \
      --destdir "$partial/bin" --workers "$workers"
}

prepare() {
  say "splitting articles into subword units, titles into characters"
  python -m alone_experiments.corpora.headlines.headline_units \
    --raw "$folder/raw" --output "$partial/bpe" --parts "${parts[@]}" "${units[@]}"
  say "writing fairseq's binary data; its log is $folder/prepare.log"
  step "$partial/binarised" binarise
}

main() {
  local wanted
  parse_options "$@"
  use_environment
  check_raw_text
  lock "$folder"
  wanted=$(fingerprint)
  prepare_once "$wanted" prepare
  say "prepared $folder/bin: $(wc -l <"$folder/bin/dict.title.txt") subword units and" \
    "characters"
}

main "$@"
