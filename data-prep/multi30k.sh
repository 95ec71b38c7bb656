#!/usr/bin/env bash
# Multi30k, English to German (Elliott et al., 2016); --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare multi30k "$@"
