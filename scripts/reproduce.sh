#!/usr/bin/env bash
# An experiment from the corpus to the table.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# No translations: options and steps of its own.
case ${1:-} in
  reconstruction | codes | sentiment | students | tagging | zipf)
    become_command "reproduce-$1" "${@:2}"
    ;;
esac
become_command reproduce "$@"
