#!/usr/bin/env bash
# Multi30k, and initial values for its models from word vectors; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
# Where it was kept before it shared the folder of Multi30k.
[[ ! -f $work/data/multi30k_vectors/prepared ]] || set -- --output "$work/data/multi30k_vectors" "$@"
exec python -P -m alone_experiments prepare multi30k --vectors glove "$@"
