# Experiments: folders of files with one flag a line, and the runs made from them.
# To be sourced after environment.sh.
# shellcheck shell=bash

# read_flags FILE ARRAY: append the flags of FILE to ARRAY, one argument an element.
# A line is a flag, or a flag, blanks and its value as it stands; # starts a comment line.
read_flags() {
  local line value number=0
  local -n into=$2
  [[ -f $1 ]] || fail "no file $1"
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    line=$(trim "$line")
    [[ -z $line || $line == '#'* ]] && continue
    [[ $line == --* ]] || fail "$1 line $number is no flag: $line; write --flag value"
    [[ $line != *' #'* ]] || fail "$1 line $number: give the comment a line of its own"
    into+=("${line%%[[:space:]]*}")
    value=$(trim "${line#"${line%%[[:space:]]*}"}")
    [[ -z $value ]] || into+=("$value")
  done <"$1"
}

trim() {
  local text="${1#"${1%%[![:space:]]*}"}"
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# flag_value FLAG ARGUMENT...: the value of FLAG, the last one if it is given twice.
flag_value() {
  local flag=$1 found=
  shift
  while (($#)); do
    case $1 in
      "$flag") found=${2:-} ;;
      "$flag="*) found=${1#*=} ;;
    esac
    shift
  done
  printf '%s' "$found"
}

# relative PATH: as the project's folder sees it, so that records name no machine's folders.
relative() {
  local absolute
  absolute=$(realpath -m "$1")
  printf '%s' "${absolute#"$repository/"}"
}

is_no_row() { [[ $1 =~ ^(recipe|average|generate|score|headlines(_.*)?)$ ]]; }

rows_of() { # rows_of EXPERIMENT: its rows, look-up first: the others are measured by it
  local file row
  for file in "$repository/configs/$1"/*.flags; do
    row=$(basename "$file" .flags)
    is_no_row "$row" || printf '%s\n' "$row"
  done | awk '{print ($0 != "lookup"), $0}' | sort -s -k 1,1n | cut -d ' ' -f 2
}

# find_row CONFIG: check CONFIG and set experiment, row and settings (its folder).
# shellcheck disable=SC2034  # for the scripts that source this file
find_row() {
  settings=$(dirname "$1")
  experiment=$(basename "$(realpath -m "$settings")")
  row=$(basename "$1" .flags)
  [[ -f $settings/recipe.flags ]] ||
    fail "$settings has no recipe.flags; name a row, such as configs/toy/lookup.flags"
  if [[ ! -f $1 || $1 != *.flags ]] || is_no_row "$row"; then
    fail "$1 is no row; the rows of $experiment: $(rows_of "$experiment" | paste -sd ' ')"
  fi
}

# The number of updates that the newest checkpoint of RUN has behind it, 0 if none.
saved_updates() {
  local found=0
  [[ -f $1/checkpoint_last.pt && -f $1/train.log ]] &&
    found=$(sed -n 's/.*Saved checkpoint .* @ \([0-9]*\) updates.*/\1/p' "$1/train.log" | tail -n 1)
  printf '%s' "${found:-0}"
}
