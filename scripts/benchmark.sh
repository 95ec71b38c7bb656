#!/usr/bin/env bash
# Measures lookup, the published ALONE and ours side by side.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

for argument in "$@"; do
  case $argument in
    cpu | --device=cpu) export CUDA_VISIBLE_DEVICES='' ;; # nothing should see the GPU
  esac
done
use_environment
export ALONE_OUTPUT="$work"
# In place of this shell, so that signals reach it.
exec python -P -m benchmarks "$@"
