#!/usr/bin/env bash
# Translate and score the test set with a trained row, and record the result.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
become_command evaluate-row "$@"
