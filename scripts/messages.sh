# Messages that all scripts write in the same way, to standard error.
# To be sourced.
# shellcheck shell=bash

say() {
  printf '==> %s\n' "$*" >&2
}

# One line that names what is wrong and the remedy, then the end.
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# take VARIABLE "$@": put the argument after the first one, a flag, in VARIABLE.
take() {
  [[ $# -ge 3 && $3 != --* ]] || fail "$2 needs a value; see --help"
  printf -v "$1" '%s' "$3"
}
