# The project's folders, its virtual environment and messages, for all scripts.
# To be sourced.
# shellcheck shell=bash

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# The packages of this checkout, also where another one is installed.
export PYTHONPATH="$repository${PYTHONPATH:+:$PYTHONPATH}"
# shellcheck disable=SC2034  # for the scripts that source this file
work="${ALONE_OUTPUT:-$repository/output}" # corpora, runs, results: never committed
[[ $work == /* ]] || work="$PWD/$work"
# What starts in another folder means the same one.
[[ -z ${ALONE_OUTPUT:-} ]] || export ALONE_OUTPUT="$work"

# shellcheck source=scripts/messages.sh
source "$repository/scripts/messages.sh"

# Put the commands of the project's environment first on PATH.
find_environment() {
  local environment="${ALONE_VENV:-.venv}"
  [[ $environment == /* ]] || environment="$repository/$environment"
  [[ ! -d $environment/bin ]] || PATH="$environment/bin:$PATH"
}

use_environment() {
  find_environment
  command -v fairseq-train >/dev/null ||
    fail "fairseq is not installed; run: bash scripts/setup.sh"
}

# Become the command alone-fairseq NAME. Any Python that is new enough will do to read its
# options; what it starts is taken from the environment.
# Files in the caller's folder are no modules (-P).
become_command() { # become_command NAME ARGUMENT...
  local python
  find_environment
  for python in python python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      exec "$python" -P -m alone_experiments "$@"
    fi
  done
  fail "no Python 3.11 or newer; run: bash scripts/setup.sh"
}
