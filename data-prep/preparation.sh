# What preparing headlines needs: checks, and steps that are done once and whole.
# To be sourced after environment.sh; $folder is the corpus, $partial unfinished work.
# shellcheck shell=bash disable=SC2154  # folder: of the script that sources this file

count_lines() { grep -c '' "$1" || true; } # counts a last line without its end too

# check_parallel FILE FILE: both hold UTF-8 text, of as many lines.
check_parallel() {
  local file
  for file in "$@"; do
    [[ -s $file ]] || fail "$file is missing or empty; prepare the corpus first"
    iconv -f UTF-8 -t UTF-8 "$file" >/dev/null 2>&1 || fail "$file is not UTF-8 text"
  done
  [[ $(count_lines "$1") == $(count_lines "$2") ]] ||
    fail "${1%.*}.* differ in their number of lines; they must be parallel"
}

# step FILE COMMAND...: write the standard output of COMMAND to FILE, unless it is there.
step() {
  local file=$1
  shift
  [[ -e $file ]] && return
  "$@" >"$file.partial" 2>>"$folder/prepare.log" ||
    fail "$1 failed: $(tail -n 1 "$folder/prepare.log"); all of it: $folder/prepare.log"
  mv "$file.partial" "$file"
}

# The stamp goes first and comes last: a kill in between makes the corpus again.
put_in_place() { # put_in_place WANTED
  rm -rf "$folder/prepared" "${folder:?}/bpe" "${folder:?}/bin"
  mv "$partial/bpe" "$partial/bin" "$folder/"
  rm -rf "$partial"
  printf '%s\n' "$1" >"$folder/prepared.partial"
  mv "$folder/prepared.partial" "$folder/prepared"
}

# prepare_once WANTED COMMAND: unless the corpus is what WANTED says already, let COMMAND
# make $partial/bpe and $partial/bin, carrying on where it stopped, and put them in place.
prepare_once() {
  local wanted=$1
  if [[ $(cat "$folder/prepared" 2>/dev/null) == "$wanted" ]]; then
    say "$folder is prepared already"
    return
  fi
  partial="$folder/partial"
  if [[ $(cat "$partial/wanted" 2>/dev/null) != "$wanted" ]]; then
    rm -rf "$partial"
    mkdir -p "$partial/bpe"
    printf '%s\n' "$wanted" >"$partial/wanted"
  fi
  : >"$folder/prepare.log"
  "$2"
  put_in_place "$wanted"
}
