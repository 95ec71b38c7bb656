#!/usr/bin/env bash
# Multi30k, English to German (Elliott et al., 2016), ready for training.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

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

from='' folder="$work/data/multi30k"
parse_options() {
  while (($#)); do
    case $1 in
      --from) take from "$@" ;;
      --url) take base_url "$@" ;;
      --output) take folder "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -z $from || -d $from ]] || fail "--from: no folder $from"
}

is_the_published() { # is_the_published FILE SHA256
  [[ -f $1 && $(sha256sum <"$1") == "$2  -" ]]
}

copy_given() { # copy_given NAME TARGET
  if [[ -f $from/$1 ]]; then
    cat "$from/$1" >"$2"
  elif [[ -f $from/$1.gz ]]; then
    gzip -dc "$from/$1.gz" >"$2" || fail "$from/$1.gz is damaged; get it again"
  else
    fail "$from has no file $1 or $1.gz; it needs: $(names | paste -sd ' ')"
  fi
}

download() { # download NAME TARGET
  say "downloading $1.gz"
  curl --fail --location --silent --show-error --retry 2 --connect-timeout 20 \
    --speed-limit 1 --speed-time 60 --output "$2.gz" "$base_url/$1.gz" ||
    fail "no $1.gz from $base_url; run this again, or give the files with --from DIR"
  gzip -dc "$2.gz" >"$2" || fail "$base_url/$1.gz is damaged; run this again"
  rm "$2.gz"
}

fetch() { # fetch NAME SHA256 TARGET
  local partial="$3.partial"
  is_the_published "$3" "$2" && return
  if [[ -n $from ]]; then copy_given "$1" "$partial"; else download "$1" "$partial"; fi
  is_the_published "$partial" "$2" ||
    fail "$1 from ${from:-$base_url} is not the published file: its SHA-256 is" \
      "$(sha256sum <"$partial" | cut -c 1-64), not $2"
  mv "$partial" "$3"
}

names() { cut -d ' ' -f 3 "$here/multi30k.sha256"; }

# The project's names of the parts: val -> valid, test_2016_flickr -> test.
raw_name() {
  local name="${1/#val./valid.}"
  printf '%s/raw/%s' "$folder" "${name/#test_2016_flickr./test.}"
}

fetch_all() {
  local checksum name
  mkdir -p "$folder/raw"
  while read -r checksum name; do
    fetch "$name" "$checksum" "$(raw_name "$name")"
  done <"$here/multi30k.sha256"
}

main() {
  parse_options "$@"
  [[ -n $from ]] || command -v curl >/dev/null ||
    fail "downloading needs curl; install it, or give the files with --from DIR"
  use_environment
  fetch_all
  bash "$here/prepare_bpe.sh" --output "$folder" --merges 10000
}

main "$@"
