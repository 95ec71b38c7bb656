#!/usr/bin/env bash
# WMT'16 English to German from the official training sets, ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/wmt16_en_de.sh [options]

Prepares the training sets of WMT'16 (Europarl v7, Common Crawl, News Commentary v11),
newstest2013 as valid and all 3,003 lines of newstest2014 as test, which is sacreBLEU's
wmt14/full: Moses normalisation and tokenisation, 32,000 joint byte-pair merges, training
pairs of 1 to 250 units with a ratio of lengths up to 1.5, one dictionary of 32,768
entries. Steps that are done are skipped; the same command carries on after a kill, a
cut connection or a full disk, and does again what a changed option concerns.

Downloads 1.7 GB and needs about 8 GB in all (an estimate from smaller corpora). Sizes
and checksums are verified (data-prep/wmt16_en_de.toml). Archives in DIR/downloads may be
removed when DIR/raw is complete.

  --from DIR           take the archives from DIR, under the names in the catalogue
  --mirror URL         download them from this folder, under the same names
  --catalogue FILE     another table of archives (default data-prep/wmt16_en_de.toml)
  --output DIR         folder of the corpus (default output/data/wmt16_en_de)
  --segmentation NAME  bpe or sentencepiece (default bpe)
  --merges N           byte-pair merges, or SentencePiece's pieces (default 32000)
  --dictionary N       entries of the dictionary (default 32768)
  --max-length N       most subword units of a side of a training pair (default 250)
  --max-ratio R        most units of one side for each of the other (default 1.5)
  --workers N          processes at once (default: the cores there are)
  --help               show this text

A reduced mirror, as a rehearsal: a catalogue of its own, --merges and --dictionary.
TEXT
}

catalogue="$here/wmt16_en_de.toml" folder="$work/data/wmt16_en_de"
from='' mirror='' sources=() options=(--merges 32000 --dictionary 32768 --max-length 250 --max-ratio 1.5)
while (($#)); do
  case $1 in
    --from) take from "$@" && sources+=(--from "$from") ;;
    --mirror) take mirror "$@" && sources+=(--mirror "$mirror") ;;
    --catalogue) take catalogue "$@" ;;
    --output) take folder "$@" ;;
    --segmentation | --merges | --dictionary | --max-length | --max-ratio | --workers)
      [[ $# -ge 2 ]] || fail "$1 needs a value; see --help"
      options+=("$1" "$2")
      ;;
    --help) usage && exit ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift 2
done
[[ -z $from || -d $from ]] || fail "--from: no folder $from"

use_environment
mkdir -p "$folder/raw"
(
  lock "$folder"
  exec python -m alone_experiments.corpora.fetch \
    --catalogue "$catalogue" --output "$folder" "${sources[@]}"
)
exec bash "$here/prepare_bpe.sh" --output "$folder" "${options[@]}"
