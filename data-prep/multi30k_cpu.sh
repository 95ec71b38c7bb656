#!/usr/bin/env bash
# Multi30k, for the experiment multi30k_cpu; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
# A folder of its own, from before it shared that of Multi30k, is kept.
folder=$work/data/multi30k_cpu
[[ ! -f $folder/prepared ]] || set -- --output "$folder" "$@"
exec python -P -m alone_experiments prepare multi30k "$@"
