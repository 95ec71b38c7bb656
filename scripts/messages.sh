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
