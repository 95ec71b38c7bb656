#!/usr/bin/env bash
# GloVe's 300-dimensional vectors of 400,000 words (Pennington et al., 2014).
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

url="${GLOVE_URL:-https://nlp.stanford.edu/data/glove.6B.zip}"
name=glove.6B.300d.txt

usage() {
  cat <<TEXT
usage: bash data-prep/glove.sh [--from DIR | --url URL] [--output DIR]

Fetches glove.6B.zip, 822 MB, and takes $name out of it: 400,000 words of
Wikipedia 2014 and Gigaword 5, the most frequent first. The same command carries on
where a kill stopped it, within the download too.

  --from DIR     take $name, the same with .gz, or glove.6B.zip from DIR
  --url URL      download the archive from here (default, or GLOVE_URL: $url)
  --output DIR   folder of the vectors (default output/data/glove)
  --help         show this text

Its makers publish no checksum. What is checked: the archive's own CRC-32, and that the
file has 400,000 lines of a word and 300 numbers, "the" first. Its SHA-256 is printed.
TEXT
}

from='' folder="$work/data/glove"
parse_options() {
  while (($#)); do
    case $1 in
      --from) take from "$@" ;;
      --url) take url "$@" ;;
      --output) take folder "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -z $from || -d $from ]] || fail "--from: no folder $from"
}

download() { # download TARGET
  say "downloading $url"
  use_environment
  python -m alone_experiments.corpora.download "$url" "$1" ||
    fail "no archive from $url; run this again, or give the file with --from DIR"
}

# unpack ARCHIVE TARGET: Python's zipfile compares the CRC-32 when it reaches the end.
unpack() {
  say "unpacking $1"
  python3 - "$1" "$name" "$2" <<'PYTHON' || fail "$1 is damaged or has no $name; remove it and run this again"
import shutil, sys, zipfile
archive, name, target = sys.argv[1:]
try:
    with zipfile.ZipFile(archive) as files, files.open(name) as source:
        with open(target, "wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
except (OSError, KeyError, zipfile.BadZipFile) as error:
    sys.exit(f"{archive}: {error}")
PYTHON
}

get() { # get TARGET
  if [[ -f $from/$name ]]; then
    cp "$from/$name" "$1"
  elif [[ -f $from/$name.gz ]]; then
    gzip -dc "$from/$name.gz" >"$1" || fail "$from/$name.gz is damaged; get it again"
  elif [[ -f $from/glove.6B.zip ]]; then
    unpack "$from/glove.6B.zip" "$1"
  elif [[ -n $from ]]; then
    fail "$from has no file $name, $name.gz or glove.6B.zip"
  else
    download "$folder/glove.6B.zip"
    unpack "$folder/glove.6B.zip" "$1"
  fi
}

check() { # check FILE
  local wrong
  say "checking"
  wrong=$(LC_ALL=C awk '
    NF != 301 { print "line " NR " has " NF " fields, not 301"; wrong = 1; exit }
    NR == 1 && $1 != "the" { print "line 1 is of the word " $1; wrong = 1; exit }
    END { if (!wrong && NR != 400000) print "it has " NR " lines, not 400000" }
  ' "$1")
  [[ -z $wrong ]] || fail "this is not GloVe's $name: $wrong"
}

main() {
  local target partial
  parse_options "$@"
  target="$folder/$name"
  if [[ -f $target ]]; then
    say "vectors: $target (there already)"
    return
  fi
  mkdir -p "$folder"
  partial="$target.partial"
  get "$partial"
  check "$partial"
  say "SHA-256 of $name: $(sha256sum <"$partial" | cut -c 1-64)"
  mv "$partial" "$target"
  rm -f "$folder/glove.6B.zip"
  say "vectors: $target"
}

main "$@"
