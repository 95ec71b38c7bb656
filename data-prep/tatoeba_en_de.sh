#!/usr/bin/env bash
# Tatoeba, English to German (tatoeba.org); --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare tatoeba_en_de "$@"
