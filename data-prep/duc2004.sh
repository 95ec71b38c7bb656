#!/usr/bin/env bash
# DUC-2004 task 1: 500 sources and four reference headlines each, ready for generation.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/duc2004.sh --from DIR [options]

Prepares DUC-2004 task 1 with the subword units and the dictionary of a training corpus.
NIST gives the files to those who sign its agreement, so nothing is downloaded; DIR
holds one of

  - input.txt and task1_ref0.txt ... task1_ref3.txt, one document a line (in DIR,
    DIR/DUC2004 or, the references, in references/); each may end in .gz;
  - NIST's files in any depth: the documents docs/d30001t/APW19981016.0240 ... and the
    references eval/models/1/D30001.P.10.T.A.APW19981016.0240 ..., four a document. The
    source is the first sentence, with the second where it is under 130 characters, in
    lower case, as Treebank tokens, without dateline, as Rush et al. (2015) make it;
    only where a sentence ends is decided by rules of our own in place of NLTK's Punkt.

Digits of sources are masked (#) if those of the training corpus are, else kept: a model
that has seen none cannot read them. References always keep theirs, and
raw/test.unmasked keeps the sources', with which alone-fairseq restore-digits undoes the
masking in what a model wrote.

  --from DIR         see above
  --training DIR     the prepared training corpus (default output/data/gigaword)
  --output DIR       folder for the set (default output/data/duc2004)
  --digits MODE      keep or mask (default: as the training corpus)
  --documents N      number of documents that must be there (default 500)
  --help             show this text

raw/test.article is the text to re-rank with, raw/test.ref0 ... raw/test.ref3 are the
references as they were written. fairseq's target side, raw/test.title, is the first of
them, so give --desired-length, or its length is used.
TEXT
}

from='' training="$work/data/gigaword" folder="$work/data/duc2004" digits='' documents=500
parse_options() {
  while (($#)); do
    case $1 in
      --from) take from "$@" ;;
      --training) take training "$@" ;;
      --output) take folder "$@" ;;
      --digits) take digits "$@" ;;
      --documents) take documents "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -n $from ]] || fail "--from is missing: this script downloads nothing; see --help"
  [[ -d $from ]] || fail "--from: no folder $from"
  [[ -f $training/prepared ]] ||
    fail "--training: $training is not prepared; run: bash data-prep/gigaword.sh"
  [[ $documents =~ ^[1-9][0-9]*$ ]] || fail "--documents must be above 0, not $documents"
  choose_digits
}

choose_digits() {
  if [[ -z $digits ]]; then
    digits=keep
    [[ $(cat "$training/raw/digits" 2>/dev/null) != masked ]] || digits=mask
  fi
  [[ $digits == keep || $digits == mask ]] || fail "--digits must be keep or mask, not $digits"
}

main() {
  parse_options "$@"
  use_environment
  mkdir -p "$folder"
  rm -rf "$folder/raw.partial"
  python -m alone_experiments.corpora.headlines.duc2004_pairs --from "$from" --output "$folder/raw.partial" \
    --digits "$digits" --documents "$documents" >"$folder/splits.txt"
  rm -rf "$folder/raw"
  mv "$folder/raw.partial" "$folder/raw"
  say "$(cat "$folder/splits.txt"); digits of sources: $digits"
  bash "$here/prepare_headlines.sh" --output "$folder" --training "$training" --workers 1
}

main "$@"
