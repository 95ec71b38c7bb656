#!/usr/bin/env bash
# Tatoeba, English to German (tatoeba.org), ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"
# shellcheck source=data-prep/published_corpus.sh
source "$here/published_corpus.sh"

base_url="${TATOEBA_URL:-}"

usage() {
  cat <<'TEXT'
usage: bash data-prep/tatoeba_en_de.sh --from DIR | --url URL [--output DIR]

Takes the 161,841 training, 3,000 validation and 3,000 test pairs, checks them against
data-prep/tatoeba_en_de.sha256 and prepares them: tokens, 10,000 joint byte-pair merges,
binary data. The same command carries on where a kill stopped it.

They are a split of the export of 2018-05-13 at www.manythings.org/anki (CC BY 2.0,
attribution: tatoeba.org); no sentence of valid or test, on either side, is in train.
That site serves only its newest export, so there is no address to download this one
from: the files have to be given. A split of another export is another corpus, and its
scores do not compare: put it into DIR/raw as {train,valid,test}.{en,de} and run
data-prep/prepare_bpe.sh --output DIR.

  --from DIR     take the files from DIR: {train,valid,test}.{en,de}, or the same names
                 with .gz
  --url URL      download them, as .gz, from this folder (or TATOEBA_URL)
  --output DIR   folder of the corpus (default output/data/tatoeba_en_de)
  --help         show this text
TEXT
}

# shellcheck disable=SC2034  # for published_corpus.sh
name=tatoeba_en_de folder="$work/data/tatoeba_en_de" parts=()
prepare_published_corpus "$@" -- --merges 10000
