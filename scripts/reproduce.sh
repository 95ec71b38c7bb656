#!/usr/bin/env bash
# An experiment from the corpus to the table.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/options.sh
source "$repository/scripts/options.sh"
# shellcheck source=scripts/experiment.sh
source "$repository/scripts/experiment.sh"

usage() {
  cat <<'TEXT'
usage: bash scripts/reproduce.sh EXPERIMENT [options]
       bash scripts/reproduce.sh reconstruction --help

Prepares the corpus, trains and evaluates the rows of configs/EXPERIMENT, tests whether
they differ, and makes the table and the plot of the validation losses, of headlines also
that of their lengths. What is done already is skipped; after a kill the same command
carries on.

  --rows A,B        only these rows (default: all)
  --seed N,M        seeds, one run a row and seed (default 1)
  --jobs N          work on N rows at once, each with one thread if N is over 1: the
                    fastest way on a CPU (default 1)
  --processes N     processes that train a row, --max-tokens N at once, in the
  --max-tokens N    --precision P: see scripts/train.sh --help
  --precision P
  --max-update N    train all rows for N updates instead of the recipe's number
  --from DIR        folder of the corpus's files, for data-prep/EXPERIMENT.sh
  --duc DIR         gigaword: folder of DUC-2004's files, for data-prep/duc2004.sh
  --vectors FILE    multi30k_vectors: word vectors, for data-prep/multi30k_vectors.sh
  --results DIR     folder for records, table and plot (default
                    output/results/EXPERIMENT)
  --notes TEXT      what the records should say beside the numbers
  --force           remove the runs and records of these rows, and begin again
  --dry-run         print the commands and do nothing
  --help            show this text

A corpus that was prepared before, with other options perhaps, is used as it is where
--from (--duc, --vectors) is not given.
TEXT
}

experiment='' rows='' seed=1 jobs=1 max_update='' from='' results='' notes='' force='' dry_run=''
processes='' max_tokens='' precision='' duc='' vectors=''
options='rows seed jobs max-update from duc vectors results notes processes max-tokens precision'

check_options() {
  local name known
  known="$(basename -a "$repository"/configs/*/ | paste -sd ' ') reconstruction"
  [[ -n $experiment ]] || fail "EXPERIMENT is missing, one of: $known"
  [[ -f $repository/configs/$experiment/recipe.flags ]] ||
    fail "no experiment $experiment; there are: $known"
  rows=${rows:-$(rows_of "$experiment" | paste -sd ,)}
  for name in ${rows//,/ }; do find_row "$repository/configs/$experiment/$name.flags"; done
  read -ra seeds <<<"${seed//,/ }"
  check_number --seed "${seeds[@]:-none}"
  check_number --max-update+ ${max_update:+"$max_update"}
  check_number --jobs+ "$jobs"
  results=${results:-$work/results/$experiment}
  [[ -z $duc || $experiment == gigaword ]] || fail "--duc is for gigaword, not $experiment"
  [[ -z $vectors || $experiment == multi30k_vectors ]] ||
    fail "--vectors is for multi30k_vectors, not $experiment"
  [[ $experiment != gigaword || -n $duc$dry_run || -f $work/data/duc2004/prepared ]] ||
    fail "gigaword is tested on DUC-2004: name the folder of its files with --duc DIR"
}

# do_step COMMAND...: run it, or print it in a dry run.
do_step() {
  if [[ -n $dry_run ]]; then printf '%q ' "$@" && echo; else "$@"; fi
}

prepare_corpora() {
  local training="$work/data/$experiment"
  do_step bash "data-prep/$experiment.sh" ${from:+--from "$from"} \
    ${vectors:+--vectors "$vectors"}
  [[ -z $duc ]] || do_step bash data-prep/duc2004.sh --from "$duc" --training "$training"
}

reproduce_row() { # reproduce_row ROW SEED
  local config="configs/$experiment/$1.flags" run="$work/runs/$experiment/$1--seed$2"
  local train=(bash scripts/train.sh "$config" --seed "$2")
  local evaluate=(bash scripts/evaluate.sh "$config" --seed "$2" --results "$results")
  [[ -z $processes ]] || train+=(--processes "$processes")
  [[ -z $max_tokens ]] || train+=(--max-tokens "$max_tokens")
  [[ -z $precision ]] || train+=(--precision "$precision")
  [[ -z $max_update ]] || train+=(-- --max-update "$max_update")
  [[ -z $notes ]] || evaluate+=(--notes "$notes")
  [[ -z $force ]] || do_step rm -rf "$run" "$results/$1--seed$2.json"
  do_step "${train[@]}"
  do_step "${evaluate[@]}"
}

# Several rows at once, each line with its row's name; ends with the first that fails.
reproduce_at_once() {
  local number name row_pid row_pids=()
  export OMP_NUM_THREADS=1
  set -m # a process group for each row, so that all of it can be stopped
  trap 'stop_rows; exit 143' INT TERM HUP
  for number in "${seeds[@]}"; do
    for name in ${rows//,/ }; do
      while (($(jobs -pr | wc -l) >= jobs)); do wait -n || fail_rows; done
      reproduce_row "$name" "$number" 2> >(sed -u "s/^/$name: /" >&2) &
      row_pids+=($!)
    done
  done
  for row_pid in "${row_pids[@]}"; do wait "$row_pid" || fail_rows; done
}

stop_rows() {
  local row_pid
  for row_pid in $(jobs -pr); do kill -- "-$row_pid" || say "$row_pid has ended"; done
  wait
}

fail_rows() {
  stop_rows
  fail "a row failed; what it said is above"
}

show_results() {
  local recipe=() made="$results/validation_loss.png"
  read_flags "configs/$experiment/recipe.flags" recipe
  python -m alone_experiments.results.compare_results "$results" \
    --reference "$work/data/$experiment/raw/test.$(flag_value --target-lang "${recipe[@]}")"
  python -m alone_experiments.results.make_table "$results" >"$results/table.partial"
  mv "$results/table.partial" "$results/table.md"
  python -m alone_experiments.results.plot_loss "$results" "$made"
  if [[ -f configs/$experiment/headlines.flags ]]; then
    python -m alone_experiments.results.plot_lengths "$results" "$results/lengths.png"
    [[ ! -f $results/lengths.png ]] || made+=" $results/lengths.png"
  fi
  cat "$results/table.md"
  say "table: $results/table.md  plot: $made"
}

main() {
  local number name
  # Vectors, not translations: options and steps of its own.
  [[ ${1:-} != reconstruction ]] || exec bash "$repository/scripts/reconstruction.sh" "${@:2}"
  read_options experiment "$options" 'force dry-run' "$@"
  check_options
  [[ -z $from ]] || from=$(realpath -m "$from")
  [[ -z $duc ]] || duc=$(realpath -m "$duc")
  [[ -z $vectors ]] || vectors=$(realpath -m "$vectors")
  results=$(realpath -m "$results")
  cd "$repository"
  if [[ -z $dry_run ]]; then
    bash scripts/setup.sh >&2
    use_environment
  fi
  prepare_corpora
  if ((jobs > 1)) && [[ -z $dry_run ]]; then
    reproduce_at_once
  else
    for number in "${seeds[@]}"; do
      for name in ${rows//,/ }; do reproduce_row "$name" "$number"; done
    done
  fi
  [[ -n $dry_run ]] || show_results
}

main "$@"
