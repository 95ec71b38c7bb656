#!/usr/bin/env bash
# DUC-2004 task 1: 500 sources and four reference headlines each; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare duc2004 "$@"
