#!/usr/bin/env bash
# Train one row of an experiment.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/experiment.sh
source "$repository/scripts/experiment.sh"
# shellcheck source=scripts/hardware.sh
source "$repository/scripts/hardware.sh"

usage() {
  cat <<'TEXT'
usage: bash scripts/train.sh CONFIG [options] [-- flags of fairseq-train]

Trains the row of an experiment that CONFIG describes, such as
configs/toy/alone_real.flags, with the flags in the recipe.flags beside it. After any
kill the same command carries on from the last checkpoint; when the run is complete it
does nothing. Uses all GPUs it finds, else the CPU.

  --data DIR       prepared corpus (default output/data/<experiment>)
  --save-dir DIR   checkpoints and logs (default output/runs/<experiment>/<row>--seed<N>)
  --seed N         seed of weights, dropout and order (default 1)
  --dry-run        print the command and do nothing
  --help           show this text

Flags after -- come last and win, such as: -- --max-update 500 --fp16
TEXT
}

config='' data='' save_dir='' seed=1 dry_run='' extra=()
parse_options() {
  while (($#)); do
    case $1 in
      --data) take data "$@" && shift ;;
      --save-dir) take save_dir "$@" && shift ;;
      --seed) take seed "$@" && shift ;;
      --dry-run) dry_run=yes ;;
      --help) usage && exit ;;
      --) shift && extra=("$@") && return ;;
      -*) fail "unknown option $1; flags of fairseq-train go after --; see --help" ;;
      *) [[ -z $config ]] || fail "one CONFIG at a time, not also $1" && config=$1 ;;
    esac
    shift
  done
}

check_options() {
  [[ -n $config ]] || fail "CONFIG is missing; see --help"
  find_row "$config"
  [[ $seed =~ ^[0-9]+$ ]] || fail "--seed must be a whole number, not $seed"
  config=$(relative "$config") settings=$(relative "$settings")
  data=$(relative "${data:-$work/data/$experiment}")
  save_dir=$(relative "${save_dir:-$work/runs/$experiment/$row--seed$seed}")
}

make_command() {
  local flags=()
  read_flags "$settings/recipe.flags" flags
  read_flags "$config" flags
  command=(fairseq-train "$data/bin" --user-dir alone_fairseq "${flags[@]}"
    --seed "$seed" --save-dir "$save_dir" --log-format json)
  # On a CPU a loader process would only copy the memory of the training.
  has_gpu || command+=(--cpu --num-workers 0)
  command+=("${extra[@]}")
  max_update=$(flag_value --max-update "${command[@]}")
}

check_data() {
  local dictionary
  dictionary="$data/bin/dict.$(flag_value --target-lang "${command[@]}").txt"
  [[ -f $dictionary ]] ||
    fail "no prepared corpus in $data; run: bash data-prep/$experiment.sh"
}

is_complete() {
  local saved
  saved=$(saved_updates "$save_dir")
  if [[ -z $max_update ]]; then
    [[ -f $save_dir/finished ]] && return
    return 1
  fi
  ((saved <= max_update)) ||
    fail "$save_dir has $saved updates already, more than $max_update; remove it, or" \
      "choose another --save-dir"
  ((saved == max_update))
}

# The flags that a run must keep when it is carried on, one a line.
identity() {
  local skip=
  for argument in "$@"; do
    if [[ -n $skip ]]; then
      skip=
    elif [[ $argument =~ ^--(max-update|save-dir|log-interval|num-workers)$ ]]; then
      skip=yes
    elif [[ $argument != --cpu ]]; then
      printf '%s\n' "$argument"
    fi
  done
}

check_same_run() {
  local command_before=() before now
  [[ -f $save_dir/command ]] || return 0
  mapfile -t command_before <"$save_dir/command"
  before=$(identity "${command_before[@]}")
  now=$(identity "${command[@]}")
  [[ $now == "$before" ]] ||
    fail "$save_dir holds a run with other flags ($(diff <(echo "$before") <(echo "$now") |
      grep '^[<>]' | paste -sd ' ')); remove it, or choose another --save-dir"
}

# The commit, and whether anything differs from it, or from what the run began with.
describe_code() {
  local commit state=dirty
  commit=$(git rev-parse --verify --quiet HEAD) || commit=unknown
  if [[ $commit != unknown && -z $(git status --porcelain) ]]; then state=clean; fi
  if [[ -f $save_dir/code && $(<"$save_dir/code") != "$commit $state" ]]; then state=dirty; fi
  echo "$commit $state"
}

# In the background, because bash answers a signal only between two foreground commands.
train() {
  local status=0 progress
  exec 8> >(tee -a "$save_dir/train.log" | python scripts/show_progress.py "$max_update")
  progress=$!
  "${command[@]}" >&8 2>"$save_dir/errors" &
  training=$!
  exec 8>&-
  trap 'kill "$training" 2>/dev/null; exit 143' INT TERM HUP
  wait "$training" || status=$?
  wait "$progress"
  ((status == 0)) ||
    fail "fairseq-train ended with status $status: $(tail -n 1 "$save_dir/errors");" \
      "see $save_dir/errors and $save_dir/train.log"
}

main() {
  parse_options "$@"
  check_options
  cd "$repository"
  make_command
  if [[ -n $dry_run ]]; then
    printf '%q ' "${command[@]}" && echo && exit
  fi
  use_environment
  check_data
  mkdir -p "$save_dir"
  lock "$save_dir"
  check_same_run
  if is_complete; then
    say "$save_dir is complete ($(saved_updates "$save_dir") updates)" && exit
  fi
  printf '%s\n' "${command[@]}" >"$save_dir/command"
  code=$(describe_code)
  echo "$code" >"$save_dir/code"
  keep_freed_memory
  say "training $experiment/$row, seed $seed, to $save_dir"
  train
  echo "$(saved_updates "$save_dir") updates" >"$save_dir/finished"
}

main "$@"
