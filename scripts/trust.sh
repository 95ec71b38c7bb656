#!/usr/bin/env bash
# Tries hard to break the project: kills, full disks, bad input; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
use_environment
cd "$repository"
export OMP_NUM_THREADS=1
exec python -m tests.campaign "$@"
