#!/usr/bin/env bash
# Word pairs judged by people: SimLex-999, WordSim-353, RG-65, MEN and RW; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare wordsim "$@"
