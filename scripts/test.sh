#!/usr/bin/env bash
# Sets everything up and runs the tests.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: bash scripts/test.sh [--slow] [arguments of pytest...]

Makes the environment where needed (see scripts/setup.sh) and runs the fast tests, on
all cores (-n 0, at the end: in one process).

  --slow  the slow tests too: those that start trainings
  --help  this text

Examples:
  bash scripts/test.sh tests/embeddings
  bash scripts/test.sh -m gpu        only the tests that need a GPU
HELP
}

case ${1:-} in
  --help | -h) usage && exit 0 ;;
esac
tier="not slow and not gpu and not network"
if [[ ${1:-} == --slow ]]; then
  tier="not gpu and not network"
  shift
fi

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
bash "$repository/scripts/setup.sh" --dev
use_environment
cd "$repository"
# Each process imports fairseq, half a gigabyte; eight are enough. nproc would take a
# number of threads that the caller's shell has set for that of cores.
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
workers=$((cores > 8 ? 8 : cores))
export OMP_NUM_THREADS=1
# A later -m or -n of the caller's replaces these.
say "pytest -n $workers -m \"$tier\" $*"
# worksteal: neighbours share the fixtures of their file, and no process is left with two
# long tests at the end while the others have none.
exec python -m pytest -n "$workers" --dist worksteal -m "$tier" "$@"
