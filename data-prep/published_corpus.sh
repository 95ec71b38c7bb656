# A corpus of six published files: given or downloaded, checked, prepared.
# To be sourced after environment.sh, by a script that has set
#   here       its folder, data-prep
#   name       name of the corpus; data-prep/NAME.sha256 has lines "SHA-256  file", for
#              the files {<train>,<valid>,<test>}.<language>
#   parts      the published names of the parts, as (train=train val=valid)
#   folder     default folder of the corpus
#   base_url   default address of a folder with the files as .gz; empty if there is none
#   usage      a function that prints the help
# shellcheck shell=bash disable=SC2154

from=''
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

published_files() { cut -d ' ' -f 3 "$here/$name.sha256"; }

copy_given() { # copy_given FILE TARGET
  if [[ -f $from/$1 ]]; then
    cat "$from/$1" >"$2"
  elif [[ -f $from/$1.gz ]]; then
    gzip -dc "$from/$1.gz" >"$2" || fail "$from/$1.gz is damaged; get it again"
  else
    fail "$from has no file $1 or $1.gz; it needs: $(published_files | paste -sd ' ')"
  fi
}

download() { # download FILE TARGET
  [[ -n $base_url ]] ||
    fail "no server is known to keep $name; give its files with --from DIR or --url URL:" \
      "$(published_files | paste -sd ' ')"
  say "downloading $1.gz"
  python -m alone_experiments.corpora.download "$base_url/$1.gz" "$2.gz" ||
    fail "no $1.gz from $base_url; run this again, or give the files with --from DIR"
  gzip -dc "$2.gz" >"$2" || {
    rm "$2.gz"
    fail "$base_url/$1.gz is damaged; run this again"
  }
  rm "$2.gz"
}

fetch() { # fetch FILE SHA256 TARGET
  local partial="$3.partial"
  is_the_published "$3" "$2" && return
  if [[ -n $from ]]; then copy_given "$1" "$partial"; else download "$1" "$partial"; fi
  is_the_published "$partial" "$2" ||
    fail "$1 from ${from:-$base_url} is not the published file: its SHA-256 is" \
      "$(sha256sum <"$partial" | cut -c 1-64), not $2"
  mv "$partial" "$3"
}

fetch_all() {
  local checksum file part renaming
  mkdir -p "$folder/raw"
  while read -r checksum file; do
    part=${file%.*}
    for renaming in "${parts[@]}"; do
      [[ $part != "${renaming%=*}" ]] || part=${renaming#*=}
    done
    fetch "$file" "$checksum" "$folder/raw/$part.${file##*.}"
  done <"$here/$name.sha256"
}

# prepare_published_corpus "$@" -- OPTION...: all of it, with these options of
# prepare_bpe.sh.
prepare_published_corpus() {
  local given=()
  while (($#)) && [[ $1 != -- ]]; do given+=("$1") && shift; done
  shift
  parse_options "${given[@]}"
  use_environment
  fetch_all
  bash "$here/prepare_bpe.sh" --output "$folder" "$@"
}
