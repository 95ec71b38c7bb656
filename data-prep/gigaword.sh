#!/usr/bin/env bash
# Gigaword: first sentence and headline; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare gigaword "$@"
