#!/usr/bin/env bash
# Sets everything up, then trains and compares the methods on a small corpus.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/experiment.sh
source "$repository/scripts/experiment.sh"

usage() {
  cat <<'TEXT'
usage: bash scripts/quickstart.sh [--force]

Sets up the project's environment, writes a small English-German corpus, trains a
Transformer with look-up, low-rank and two kinds of ALONE on it, translates and scores
its test set, and prints the table and some translations. Ten minutes on two cores once
installed; what is done already is skipped, and after a kill the same command carries on.

  --force   train and evaluate again
  --help    show this text
TEXT
}

force=()
for argument in "$@"; do
  case $argument in
    --force) force=(--force) ;;
    --help) usage && exit ;;
    *) fail "unknown option $argument; see --help" ;;
  esac
done

cd "$repository"
# Models of this size keep one core busy, whatever the number of threads.
bash scripts/reproduce.sh toy --jobs "$(nproc)" "${force[@]}"
use_environment
mapfile -t runs < <(rows_of toy | sed "s,.*,$work/runs/toy/&--seed1,")
printf '\nTranslations of the test set:\n\n'
python -m alone_experiments.results.show_translations --data "$work/data/toy" \
  "${runs[@]}"
say "done after $((SECONDS / 60)) min $((SECONDS % 60)) s"
