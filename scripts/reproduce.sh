#!/usr/bin/env bash
# An experiment from the corpus to the table.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# Vectors, not translations: options and steps of its own.
if [[ ${1:-} == reconstruction ]]; then
  become_command reproduce-reconstruction "${@:2}"
fi
become_command reproduce "$@"
