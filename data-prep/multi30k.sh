#!/usr/bin/env bash
# Multi30k, English to German (Elliott et al., 2016), ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"
# shellcheck source=data-prep/published_corpus.sh
source "$here/published_corpus.sh"

base_url="${MULTI30K_URL:-https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw}"

usage() {
  cat <<TEXT
usage: bash data-prep/multi30k.sh [--from DIR | --url URL] [--output DIR]

Fetches the 29,000 training, 1,014 validation and 1,000 test pairs (test_2016_flickr),
checks them against data-prep/multi30k.sha256 and prepares them: tokens, 10,000 joint
byte-pair merges, binary data. The same command carries on where a kill stopped it.

  --from DIR     take the files from DIR: {train,val,test_2016_flickr}.{en,de}, or
                 the same names with .gz
  --url URL      download them, as .gz, from this folder (default, or MULTI30K_URL:
                 $base_url)
  --output DIR   folder of the corpus (default output/data/multi30k)
  --help         show this text
TEXT
}

# shellcheck disable=SC2034  # for published_corpus.sh
name=multi30k folder="$work/data/multi30k" parts=(val=valid test_2016_flickr=test)
prepare_published_corpus "$@" -- --merges 10000
