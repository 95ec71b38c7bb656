#!/usr/bin/env bash
# GloVe's 300-dimensional vectors of 400,000 words (Pennington et al., 2014); --help says more.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"
use_environment
exec python -P -m alone_experiments prepare glove "$@"
