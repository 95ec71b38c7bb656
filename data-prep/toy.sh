#!/usr/bin/env bash
# The toy corpus, English to German, made on the spot; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare toy "$@"
