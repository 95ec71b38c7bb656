#!/usr/bin/env bash
# Train one row of an experiment: --help says how.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
become_command train-row "$@"
