#!/usr/bin/env bash
# Multi30k, and initial values for its models from word vectors; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
# Its folder is that of Multi30k, unless it has one of its own from before.
folder=$work/data/multi30k_vectors
mkdir -p "$work/data/multi30k"
[[ -d $folder ]] || ln -sfn multi30k "$folder"
exec python -P -m alone_experiments prepare multi30k --vectors glove --output "$folder" "$@"
