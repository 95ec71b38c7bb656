#!/usr/bin/env bash
# Sets everything up, then trains and compares the methods on a small corpus.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
become_command quickstart "$@"
