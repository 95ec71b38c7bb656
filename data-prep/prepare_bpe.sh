#!/usr/bin/env bash
# From raw text to fairseq's binary data: tokens, subword units, dictionary.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash data-prep/prepare_bpe.sh --output DIR [options]

Prepares DIR/raw/{train,valid,test}.<language>: Moses normalisation and tokenisation,
joint subword units, limits of length for training pairs, binarisation with one joined
dictionary. Writes DIR/bpe and DIR/bin. A step is skipped when it is done, and done
again when the raw files or the options it depends on have changed; the same command
carries on after a kill.

  --output DIR         folder of the corpus, which holds raw/
  --source LANG        language of the source (default en)
  --target LANG        language of the target (default de)
  --merges N           byte-pair merges, or SentencePiece's pieces, over both languages
                       (default 10000)
  --segmentation NAME  bpe (subword-nmt), or sentencepiece, which must be installed:
                       pip install '.[sentencepiece]' (default bpe)
  --max-length N       leave out training pairs with over N subword units on a side;
                       0 = no limit (default 250)
  --max-ratio R        leave out training pairs with over R times as many units on one
                       side as on the other; 0 = no limit (default 0)
  --dictionary N       keep the N most frequent entries, fairseq's four special ones
                       included; a multiple of 8; 0 = all (default 0)
  --workers N          processes at once (default: the cores there are)
  --help               show this text

Training pairs with a side that is empty or not UTF-8 are left out, and counted; in
valid and test such a line is an error. DIR/bpe/codes holds what the segmentation learnt;
after sentencepiece, generate with --post-process sentencepiece.
TEXT
}

folder='' options=()
while (($#)); do
  case $1 in
    --output) take folder "$@" ;;
    --source | --target | --merges | --segmentation | --max-length | --max-ratio | --dictionary | --workers)
      [[ $# -ge 2 ]] || fail "$1 needs a value; see --help"
      options+=("$1" "$2")
      ;;
    --help) usage && exit ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift 2
done
[[ -n $folder ]] || fail "--output is missing; see --help"
[[ -d $folder/raw ]] || fail "there is no folder $folder/raw; prepare the corpus first"

use_environment
lock "$folder"
# In place of this shell, so that signals reach it.
exec python -m alone_experiments.corpora.prepare --output "$folder" "${options[@]}"
