#!/usr/bin/env bash
# Makes the project's virtual environment, or brings it up to date: finds a Python, which
# does the rest (scripts/setup_environment.py; --help).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/messages.sh
source "$root/scripts/messages.sh"
venv=${ALONE_VENV:-.venv}
[[ $venv == /* ]] || venv=$root/$venv

# The environment's own Python last: it may have to be made anew.
candidates=(python3.12 python3.11 python3.13 python3 python "$venv/bin/python")
[[ -z ${PYTHON:-} ]] || candidates=("$PYTHON")
seen=''
for candidate in "${candidates[@]}"; do
  version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
    continue
  if [[ $version == 3.1[123] ]]; then
    exec "$candidate" -B "$root/scripts/setup_environment.py" "$candidate" "$@"
  fi
  seen+=", $candidate is $version"
done
fail "no Python 3.11, 3.12 or 3.13 found${seen:- (looked for ${candidates[*]})};" \
  "install one (Debian, Ubuntu: apt install python3.12 python3.12-venv)" \
  "or name it with PYTHON=/path/to/python3.12"
