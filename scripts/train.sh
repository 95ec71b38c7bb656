#!/usr/bin/env bash
# Train one row of an experiment.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/options.sh
source "$repository/scripts/options.sh"
# shellcheck source=scripts/experiment.sh
source "$repository/scripts/experiment.sh"
# shellcheck source=scripts/hardware.sh
source "$repository/scripts/hardware.sh"
# shellcheck source=scripts/processes.sh
source "$repository/scripts/processes.sh"

usage() {
  cat <<'TEXT'
usage: bash scripts/train.sh CONFIG [options] [-- flags of fairseq-train]

Trains the row of an experiment that CONFIG describes, such as
configs/toy/alone_real.flags, with the flags in the recipe.flags beside it. After any
kill the same command carries on from the last checkpoint; when the run is complete it
does nothing. TensorBoard finds the course of the training in <save-dir>/tensorboard.

The --max-tokens and --update-freq of recipe.flags are those of one process; their
product is the batch of an update. Several processes share it: the update frequency
follows from their number, and a number that cannot give that batch is refused.

  --data DIR       prepared corpus (default output/data/<experiment>)
  --save-dir DIR   checkpoints and logs (default output/runs/<experiment>/<row>--seed<N>)
  --seed N         seed of weights, dropout and order (default 1)
  --processes N    processes on this machine, one a GPU, or on the CPU where there is no
                   GPU (default: all GPUs that can share the batch, else 1)
  --max-tokens N   tokens that a process takes at once (default the recipe's): more is
                   faster where memory allows; the batch stays the same
  --precision P    fp32 (default); on GPUs also fp16 or amp (automatic mixed precision)
  --nodes N        machines that train together; start this on each (default 1), with a
                   common --save-dir and the same number of processes
  --node-rank R    number of this machine, from 0
  --master HOST:PORT  machine 0, and a free port of it; scripts/slurm_train.sbatch is an
                   example for SLURM
  --dry-run        print the command and do nothing
  --help           show this text

Flags after -- come last and win, such as: -- --max-update 500
TEXT
}

config='' data='' save_dir='' seed=1 dry_run='' extra=()
processes='' max_tokens='' precision=fp32 nodes=1 node_rank=0 master=''
options='data save-dir seed processes max-tokens precision nodes node-rank master --'

check_options() {
  [[ -n $config ]] || fail "CONFIG is missing; see --help"
  find_row "$config"
  check_number --seed "$seed"
  check_number --processes+ ${processes:+"$processes"}
  check_number --max-tokens+ ${max_tokens:+"$max_tokens"}
  check_number --nodes+ "$nodes"
  check_number --node-rank "$node_rank"
  ((node_rank < nodes)) || fail "--node-rank must be below --nodes $nodes, not $node_rank"
  ((nodes == 1)) || [[ $master =~ ^[^:]+:[0-9]+$ ]] ||
    fail "--nodes $nodes needs --master HOST:PORT, the same on all of them"
  ((nodes == 1)) || has_gpu || [[ -n $processes ]] || fail "--nodes $nodes needs --processes"
  config=$(relative "$config") settings=$(relative "$settings")
  data=$(relative "${data:-$work/data/$experiment}")
  save_dir=$(relative "${save_dir:-$work/runs/$experiment/$row--seed$seed}")
  # The first machine alone keeps the records of the run.
  log="$save_dir/train.log" errors="$save_dir/errors"
  ((node_rank == 0)) || log="$save_dir/node$node_rank.log" errors="$save_dir/node$node_rank.errors"
}

# choose_precision: set precision_flags.
choose_precision() {
  case $precision in
    fp32) precision_flags=() ;;
    fp16 | amp) precision_flags=("--$precision") ;;
    *) fail "--precision must be fp32, fp16 or amp, not $precision" ;;
  esac
  [[ $precision == fp32 ]] || has_gpu || fail "--precision $precision needs a GPU"
}

make_command() {
  local flags=()
  read_flags "$settings/recipe.flags" flags
  share_batch "${flags[@]}"
  make_launcher "$nodes" "$processes" "$node_rank" "$master"
  choose_precision
  read_flags "$config" flags
  flags=("${flags[@]/#DATA\//$data/}")
  command=("${launcher[@]}" fairseq-train "$data/bin" --user-dir alone_fairseq "${flags[@]}"
    "${batch_flags[@]}" "${group_flags[@]}" "${precision_flags[@]}"
    --seed "$seed" --save-dir "$save_dir" --tensorboard-logdir "$save_dir/tensorboard"
    --log-format json)
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
  local skip='' passing='max-update|save-dir|log-interval|num-workers|tensorboard-logdir'
  passing+='|master-addr|master-port|node-rank'
  for argument in "$@"; do
    if [[ -n $skip ]]; then
      skip=
    elif [[ $argument =~ ^--($passing)$ ]]; then
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
  local status=0 progress training
  exec 8> >(tee -a "$log" | python -m alone_experiments.training.show_progress "$max_update")
  progress=$!
  # Set before the start: a signal between the two would leave the training alone.
  trap 'kill $(jobs -p) 2>/dev/null; exit 143' INT TERM HUP
  "${command[@]}" >&8 2>"$errors" &
  training=$!
  exec 8>&-
  wait "$training" || status=$?
  wait "$progress"
  ((status == 0)) ||
    fail "${launcher[0]:-fairseq-train} ended with status $status: $(explain_end "$errors");" \
      "see $errors and $log"
}

# Keep what the run was begun with; other machines may be reading it.
begin_run() {
  printf '%s\n' "${command[@]}" >"$save_dir/command.partial"
  mv "$save_dir/command.partial" "$save_dir/command"
  code=$(describe_code)
  echo "$code" >"$save_dir/code"
}

main() {
  read_options config "$options" dry-run "$@"
  check_options
  cd "$repository"
  make_command
  if [[ -n $dry_run ]]; then
    printf '%q ' "${command[@]}" && echo && exit
  fi
  use_environment
  check_data
  mkdir -p "$save_dir"
  ((node_rank > 0)) || lock "$save_dir"
  check_same_run
  if is_complete; then
    say "$save_dir is complete ($(saved_updates "$save_dir") updates)" && exit
  fi
  ((node_rank > 0)) || begin_run
  keep_freed_memory
  say "training $experiment/$row, seed $seed, to $save_dir; processes: $((nodes * processes))"
  train
  ((node_rank > 0)) || echo "$(saved_updates "$save_dir") updates" >"$save_dir/finished"
}

main "$@"
