# A corpus of headlines without splits of its own: options, splits, preparation.
# To be sourced; corpus, test_pairs, valid_pairs, vocabulary and cleaning (options of
# headline_pairs.py) are set before, and a function about_corpus prints what --help says.
# shellcheck shell=bash disable=SC2154

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/environment.sh
source "$here/../scripts/environment.sh"

usage() {
  about_corpus
  cat <<TEXT

  --from DIR        folder that holds src.txt and tgt.txt, or src.txt.gz and tgt.txt.gz
  --output DIR      folder of the corpus (default output/data/$corpus)
  --vocabulary N    subword units of the source (default $vocabulary)
  --help            show this text
TEXT
}

from='' folder="$work/data/$corpus"
parse_options() {
  while (($#)); do
    case $1 in
      --from) take from "$@" ;;
      --output) take folder "$@" ;;
      --vocabulary) take vocabulary "$@" ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift 2
  done
  [[ -z $from || -d $from ]] || fail "--from: no folder $from"
}

given_files() {
  local name
  for name in src.txt tgt.txt; do
    cat "$from/$name" 2>/dev/null || cat "$from/$name.gz" 2>/dev/null || true
  done
}

split_into_parts() {
  local wanted
  wanted=$({
    given_files
    cat "$repository"/alone_experiments/corpora/headlines/*.py
  } | sha256sum)
  if [[ $(cat "$folder/raw/origin" 2>/dev/null) != "$wanted" ]]; then
    say "cleaning and splitting the pairs of $from"
    rm -rf "$folder/raw" "$folder/raw.partial"
    python -m alone_experiments.corpora.headlines.headline_pairs --from "$from" --output "$folder/raw.partial" \
      --valid "$valid_pairs" --test "$test_pairs" "${cleaning[@]}" >"$folder/splits.txt"
    printf '%s\n' "$wanted" >"$folder/raw.partial/origin"
    mv "$folder/raw.partial" "$folder/raw"
  fi
  sed 's/^/==> /' "$folder/splits.txt" >&2
}

prepare_corpus() {
  parse_options "$@"
  use_environment
  mkdir -p "$folder"
  if [[ -n $from ]]; then
    split_into_parts
  elif [[ ! -f $folder/raw/origin ]]; then
    fail "--from is missing: this script downloads nothing; see --help"
  fi
  bash "$here/prepare_headlines.sh" --output "$folder" --vocabulary "$vocabulary"
}
