#!/usr/bin/env bash
# Papers of the ACL Anthology: first sentence of the abstract and title; --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare acl_titles "$@"
