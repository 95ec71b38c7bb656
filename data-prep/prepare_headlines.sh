#!/usr/bin/env bash
# A corpus of headlines of yours, in DIR/raw; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare own_headlines "$@"
