#!/usr/bin/env bash
# Word pairs judged by people: SimLex-999, WordSim-353, RG-65, MEN and RW.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

base_url="${WORDSIM_URL:-https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/master/data/word-sim}"

usage() {
  cat <<TEXT
usage: bash data-prep/wordsim.sh [--from DIR | --url URL] [--output DIR]

Fetches the test sets as mfaruqui/eval-word-vectors gives them out, lines 'word1 word2
score', and checks them against data-prep/wordsim.sha256. What is there already is left;
the same command carries on where a kill stopped it.

  --from DIR     take the files from DIR: EN-SIMLEX-999.txt, EN-WS-353-ALL.txt,
                 EN-RG-65.txt, EN-MEN-TR-3k.txt, EN-RW-STANFORD.txt
  --url URL      download them from this folder (default, or WORDSIM_URL: $base_url)
  --output DIR   where to put simlex-999.txt, wordsim-353.txt, rg-65.txt, men.txt and
                 rw.txt (default output/data/wordsim)
  --help         show this text

The files that the sets' own makers give out need no preparation: alone-fairseq
similarity --pairs reads them as they are.
TEXT
}

from='' folder="$work/data/wordsim"
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
  [[ -n $from ]] || use_environment
}

fetch() { # fetch NAME SHA256 TARGET
  local partial="$3.partial" found
  [[ -f $3 && $(sha256sum <"$3") == "$2  -" ]] && return
  if [[ -n $from ]]; then
    [[ -f $from/$1 ]] || fail "$from has no file $1; see --help"
    cp "$from/$1" "$partial"
  else
    say "downloading $1"
    python -m alone_experiments.corpora.download "$base_url/$1" "$partial" ||
      fail "no $1 from $base_url; run this again, or give the files with --from DIR"
  fi
  found=$(sha256sum <"$partial" | cut -c 1-64)
  [[ $found == "$2" ]] ||
    fail "$1 from ${from:-$base_url} is not the known file: its SHA-256 is $found, not $2"
  mv "$partial" "$3"
}

main() {
  local checksum name target
  parse_options "$@"
  mkdir -p "$folder"
  while read -r checksum name target; do
    fetch "$name" "$checksum" "$folder/$target"
  done <"$here/wordsim.sha256"
  say "test sets: $folder"
}

main "$@"
