# How many processes train, and how they share an update's batch.
# To be sourced after experiment.sh and hardware.sh.
# shellcheck shell=bash

# The GPUs that a training here may use.
count_gpus() {
  if ! has_gpu; then
    echo 0
  elif [[ -n ${CUDA_VISIBLE_DEVICES:-} ]]; then
    tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | grep -c .
  else
    nvidia-smi -L | grep -c '^GPU' || true
  fi
}

# share_batch FLAG...: from the recipe's flags, which describe one process, set processes
# (of this node) and batch_flags, so that an update sees as many tokens as the recipe says.
# Uses processes and nodes as the user gave them, and max_tokens if that is not empty.
# shellcheck disable=SC2034,SC2154  # shared with scripts/train.sh
share_batch() {
  local at_once times batch gpus
  at_once=$(flag_value --max-tokens "$@")
  times=$(flag_value --update-freq "$@")
  batch=$((${at_once:-0} * ${times:=1}))
  at_once=${max_tokens:-$at_once}
  gpus=$(count_gpus)
  if [[ -z $processes ]]; then
    processes=$((gpus > 0 ? gpus : 1))
    while ! divides "$((processes * nodes * ${at_once:-0}))" "$batch" && ((processes > 1)); do
      processes=$((processes - 1))
    done
    ((processes >= gpus)) || say "using $processes of $gpus GPUs: more cannot share" \
      "the recipe's $batch tokens an update evenly"
  elif ((gpus > 0 && processes > gpus)); then
    fail "--processes $processes, but there are $gpus GPUs; give at most $gpus"
  fi
  batch_flags=()
  ((processes * nodes > 1)) || [[ -n $max_tokens ]] || return 0
  ((batch > 0)) || fail "recipe.flags says no --max-tokens, so the batch cannot be shared"
  divides "$((processes * nodes * at_once))" "$batch" ||
    fail "$((processes * nodes)) processes with $at_once tokens at once cannot give the" \
      "recipe's $batch tokens an update; choose --processes, --nodes and --max-tokens" \
      "whose product divides it"
  batch_flags=(--max-tokens "$at_once" --update-freq "$((batch / (processes * nodes * at_once)))")
}

divides() { (($1 > 0 && $2 % $1 == 0)); }

# make_launcher NODES PROCESSES NODE_RANK MASTER: set launcher, which starts the command
# that follows it once a process, and group_flags, which make one group of them. From the
# environment alone fairseq makes a group on GPUs only; on CPUs each would train on its own.
# shellcheck disable=SC2034
make_launcher() {
  local address=(--standalone)
  launcher=() group_flags=()
  if (($1 * $2 == 1)); then
    # On several GPUs fairseq would start a process on each, unasked.
    ! has_gpu || group_flags=(--distributed-world-size 1)
    return
  fi
  (($1 == 1)) || address=(--nnodes "$1" --node-rank "$3"
    --master-addr "${4%:*}" --master-port "${4##*:}")
  launcher=(torchrun "${address[@]}" --nproc-per-node "$2" --no-python
    bash scripts/with_rank.sh)
  group_flags=(--distributed-world-size "$(($1 * $2))" --distributed-no-spawn
    --distributed-init-method env:// --ddp-backend legacy_ddp)
  has_gpu || group_flags+=(--distributed-backend gloo)
}

# explain_end LOG: the line of an error stream that says best why a training ended. A signal
# that ended one of several processes goes before what the others said because of it.
explain_end() {
  local cause
  cause=$(sed -n '/^alone_fairseq: error: /{p;q}' "$1")
  [[ -n $cause ]] || cause=$(sed -n '/^Root Cause/,$ s/^ *traceback *: \(Signal .*\)/\1/p' "$1")
  [[ -n $cause ]] || cause=$(
    grep -E '^(\[rank[0-9]+\]: )?[A-Za-z_.]*(Error|Exception|Interrupt)\b' "$1" | tail -n 1
  )
  printf '%s' "${cause:-$(tail -n 1 "$1")}"
}
