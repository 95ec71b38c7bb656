#!/usr/bin/env bash
# Checks style, types and shell scripts; tells of all that fails, not only the first.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: bash scripts/lint.sh [--fix]

Makes the environment where needed (see scripts/setup.sh) and runs ruff, mypy and
shellcheck.

  --fix   first mend what ruff can mend
  --help  this text
HELP
}

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
fix=false
(($# <= 1)) || fail "one option at most; --help lists the options"
case ${1:-} in
  '') ;;
  --fix) fix=true ;;
  --help | -h) usage && exit 0 ;;
  *) fail "unknown option $1; --help lists the options" ;;
esac

bash "$repository/scripts/setup.sh" --dev
use_environment
cd "$repository"

failed=()
check() { # command...
  say "$*"
  "$@" || failed+=("$*")
}

if $fix; then
  check ruff check --fix .
  check ruff format .
fi
shell_files=(.ci/run)
listed=$(git ls-files --cached --others --exclude-standard -- '*.sh' '*.sbatch') ||
  fail "git cannot list the shell scripts; nothing was checked"
while IFS= read -r file; do
  shell_files+=("$file")
done <<<"$listed"

check ruff check .
check ruff format --check .
check mypy
for file in "${shell_files[@]}"; do check bash -n "$file"; done
check shellcheck --external-sources "${shell_files[@]}"

if ((${#failed[@]})); then
  printf -v list '%s; ' "${failed[@]}"
  fail "not clean: ${list%; }"
fi
say "all clean"
