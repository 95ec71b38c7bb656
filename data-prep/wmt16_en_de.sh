#!/usr/bin/env bash
# WMT'16, English to German, from the official training sets; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare wmt16_en_de "$@"
