#!/usr/bin/env bash
# Starts a training as one of the processes of torchrun, which alone knows their ranks.
set -euo pipefail
exec "$@" --distributed-rank "$RANK"
