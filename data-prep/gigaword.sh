#!/usr/bin/env bash
# Gigaword: first sentence and headline, ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/gigaword.sh --from DIR [options]

Prepares Gigaword for headline generation. Its licence forbids to pass it on, so nothing
is downloaded; DIR holds one of

  - the public pre-processed pairs, by the names of harvardnlp/sent-summary:
      train.article.txt            train.title.txt
      valid.article.filter.txt     valid.title.filter.txt   (or without .filter)
      Giga/input.txt               Giga/task1_ref0.txt      (the 1,951 test pairs)
    or {train,dev,test}.{src,tgt}.txt; each may end in .gz, and lie in DIR, DIR/train,
    DIR/Giga, DIR/org_data or DIR/sumdata;
  - Annotated English Gigaword (LDC2012T21), the files *.xml.gz in any depth. The pairs
    are extracted and filtered by the rules of Rush et al. (2015), with the documented
    part of their list of words that no title may contain. If DIR has their lists
    train.splits, valid.splits and test.splits (file names, one a line), these decide
    what is for what; else a checksum does (47 files of 998 each for validation and
    test), and the test set is not the published one.

Digits: kept by default, since the examples that the authors of length control give have
theirs and DUC-2004 has too; Rush et al. mask them, and in the public pairs they are '#'
already and stay so. data-prep/duc2004.sh masks its own where this corpus's are masked.

  --from DIR         see above
  --output DIR       folder of the corpus (default output/data/gigaword)
  --digits MODE      keep or mask (every digit becomes #; default keep)
  --vocabulary N     subword units of the source (default 16000)
  --valid-pairs N    validate on at most so many pairs, spread evenly over those there
                     are (default 3000; 0 for all)
  --test-pairs N     the same for the test set (default 2000)
  --jobs N           processes (default: one a core)
  --help             show this text

raw/test.article is the text to re-rank with, raw/test.title the reference. The same
command carries on where a kill stopped it.
TEXT
}

from='' folder="$work/data/gigaword" digits=keep vocabulary=16000
valid_pairs=3000 test_pairs=2000 jobs=$(nproc)
parse_options() {
  while (($#)); do
    case $1 in
      --from) take from "$@" ;;
      --output) take folder "$@" ;;
      --digits) take digits "$@" ;;
      --vocabulary) take vocabulary "$@" ;;
      --valid-pairs) take valid_pairs "$@" ;;
      --test-pairs) take test_pairs "$@" ;;
      --jobs) take jobs "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -z $from || -d $from ]] || fail "--from: no folder $from"
  [[ $digits == keep || $digits == mask ]] || fail "--digits must be keep or mask, not $digits"
}

# Sizes and times in place of a checksum, which would read all of it again.
given_files() {
  find -L "$from" -type f -printf '%P %s %T@\n' | sort
  cat "$repository"/alone_experiments/corpora/headlines/*.py | sha256sum
}

extract_pairs() {
  local given wanted
  given=$(given_files | sha256sum | cut -c 1-16)
  wanted="$given $digits $valid_pairs $test_pairs"
  [[ $(cat "$folder/raw/origin" 2>/dev/null) != "$wanted" ]] || return 0
  say "reading the pairs of $from"
  rm -rf "$folder/raw" "$folder/raw.partial"
  python -m alone_experiments.corpora.headlines.gigaword_pairs --from "$from" --output "$folder/raw.partial" \
    --extracted "$folder/extracted-$given" --digits "$digits" \
    --valid-pairs "$valid_pairs" --test-pairs "$test_pairs" --jobs "$jobs" \
    >"$folder/splits.txt"
  printf '%s\n' "$wanted" >"$folder/raw.partial/origin"
  mv "$folder/raw.partial" "$folder/raw"
  rm -rf "$folder"/extracted-*
}

tell() {
  sed 's/^/==> /' "$folder/splits.txt" >&2
  if [[ $(cat "$folder/raw/digits") == masked && $digits == keep ]]; then
    say "these pairs have no digit: they were masked before; duc2004.sh will mask too"
  fi
}

main() {
  parse_options "$@"
  use_environment
  mkdir -p "$folder"
  if [[ -n $from ]]; then
    extract_pairs
  elif [[ ! -f $folder/raw/origin ]]; then
    fail "--from is missing: this script downloads nothing; see --help"
  fi
  tell
  bash "$here/prepare_headlines.sh" --output "$folder" --vocabulary "$vocabulary" \
    --workers "$jobs"
}

main "$@"
