#!/usr/bin/env bash
# Figure 3 of the paper: how well word vectors are reconstructed.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
  cat <<'TEXT'
usage: bash scripts/reproduce.sh reconstruction [options]

Fits ALONE to word vectors for every inner size of the paper's Figure 3, with both
filters, with o trained and frozen, and a factorised table of the same size; then makes
a table and the figure. What is done already is skipped; after a kill the same command
carries on.

  --rows A,B        only these rows (default: all). A row is METHOD_hSIZE, METHOD being
                    alone_real, alone_binary or low_rank (with as many trained values as
                    ALONE of that size), then _frozen for a frozen o, and _heldout to
                    keep a fifth of the words back
  --seed N,M        seeds, one run a row and seed (default 1,2,3,4,5)
  --part            in place of --rows and --seed: sizes 600 and 2400 with seeds 1 and
                    2, frozen o and held-out words with seed 1
  --vectors FILE    word vectors (default: GloVe, from data-prep/glove.sh)
  --from DIR        folder of the test sets and, without --vectors, of GloVe's archive,
                    for data-prep/wordsim.sh and data-prep/glove.sh
  --word-list FILE  take the words from this list, such as 'word count' lines of a
                    corpus, of which the most frequent are taken
  --words N         fit the first N words of the vectors, or of the list (default 5000)
  --epochs N        passes (default 1000)
  --jobs N          work on N runs at once, each with one thread if N is over 1: the
                    fastest way on a CPU (default 1)
  --device NAME     cpu or cuda (default: cuda where there is a GPU)
  --results DIR     folder for records, table and figure (default
                    output/results/reconstruction)
  --notes TEXT      what the records should say beside the numbers
  --force           remove the runs and records of these rows, and begin again
  --dry-run         print the commands and do nothing
  --help            show this text
TEXT
}

sizes=(600 1200 1800 2400)
rows='' seeds='' part='' vectors='' from='' words=5000 epochs=1000 jobs=1 device=''
results='' word_list='' notes='' force='' dry_run=''
parse_options() {
  while (($#)); do
    case $1 in
      --rows) take rows "$@" && shift ;;
      --seed) take seeds "$@" && shift ;;
      --part) part=yes ;;
      --vectors) take vectors "$@" && shift ;;
      --from) take from "$@" && shift ;;
      --word-list) take word_list "$@" && shift ;;
      --words) take words "$@" && shift ;;
      --epochs) take epochs "$@" && shift ;;
      --jobs) take jobs "$@" && shift ;;
      --device) take device "$@" && shift ;;
      --results) take results "$@" && shift ;;
      --notes) take notes "$@" && shift ;;
      --force) force=yes ;;
      --dry-run) dry_run=yes ;;
      --help) usage && exit ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift
  done
}

check_options() {
  local name number
  [[ -z $part || -z $rows$seeds ]] || fail "--part stands for --rows and --seed: give one"
  for name in ${rows//,/ }; do
    [[ $name =~ ^(alone_(real|binary)_h[1-9][0-9]*(_frozen)?|low_rank_h[1-9][0-9]*)(_heldout)?$ ]] ||
      fail "no row $name; rows are as alone_real_h600, alone_binary_h2400_frozen, low_rank_h600"
  done
  for number in ${seeds//,/ }; do
    [[ $number =~ ^[0-9]+$ ]] || fail "--seed needs whole numbers, not $number"
  done
  for name in words epochs jobs; do
    [[ ${!name} =~ ^[1-9][0-9]*$ ]] || fail "--$name must be a whole number from 1, not ${!name}"
  done
  [[ -z $vectors || -f $vectors ]] || fail "--vectors: no file $vectors"
  [[ -z $word_list || -f $word_list ]] || fail "--word-list: no file $word_list"
  [[ -z $from || -d $from ]] || fail "--from: no folder $from"
  [[ -z $device || $device == cpu || $device == cuda ]] ||
    fail "--device must be cpu or cuda, not $device"
}

# The runs to do, a line "ROW SEED" each; the smaller part has the longest last.
list_runs() {
  local row seed
  if [[ -n $part ]]; then
    part_runs
    return
  fi
  for seed in $(tr , ' ' <<<"${seeds:-1,2,3,4,5}"); do
    for row in $(tr , ' ' <<<"${rows:-$(all_rows | paste -sd ,)}"); do echo "$row $seed"; done
  done
}

all_rows() {
  local size method
  for size in "${sizes[@]}"; do
    for method in alone_real alone_binary; do
      printf '%s\n' "${method}_h$size" "${method}_h${size}_frozen"
    done
    echo "low_rank_h$size"
  done
  printf '%s\n' {alone_real,alone_binary,low_rank}_h2400_heldout
}

part_runs() {
  local size method seed
  for size in 600 2400; do
    for method in alone_real alone_binary low_rank; do
      for seed in 1 2; do echo "${method}_h$size $seed"; done
      [[ $method == low_rank ]] || echo "${method}_h${size}_frozen 1"
    done
  done
  printf '%s 1\n' {alone_real,alone_binary,low_rank}_h2400_heldout
}

# The flags of a row, one a line.
flags_of() { # flags_of ROW
  local size
  [[ $1 =~ _h([0-9]+) ]] && size=${BASH_REMATCH[1]}
  case $1 in
    alone_real*) printf '%s\n' --embedding-method alone --alone-filter real ;;
    alone_binary*) printf '%s\n' --embedding-method alone --alone-filter binary ;;
    low_rank*) printf '%s\n' --embedding-method low_rank --low-rank-dim "$(equal_rank "$size")" ;;
  esac
  [[ $1 == low_rank* ]] || printf '%s\n' --alone-inter-dim "$size"
  [[ $1 != *_frozen* ]] || printf '%s\n' --alone-freeze-base
  [[ $1 != *_heldout ]] || printf '%s\n' --hold-out 0.2
}

# equal_rank SIZE: r with r (N + D) closest to the D + 2 D SIZE values of ALONE; D = 300.
equal_rank() { echo $(((300 + 600 * $1 + (words + 300) / 2) / (words + 300))); }

# do_step COMMAND...: run it, or print it in a dry run.
do_step() {
  if [[ -n $dry_run ]]; then printf '%q ' "$@" && echo; else "$@"; fi
}

run_one() { # run_one ROW SEED
  local name="$1--seed$2" flags
  local file="$runs/$name.pt" facts="$runs/$name.json"
  mapfile -t flags < <(flags_of "$1")
  [[ -z $force ]] || do_step rm -f "$file" "$file.unfinished" "$facts" "$results/$name.json"
  if [[ -f $results/$name.json && -z $force$dry_run ]]; then
    say "$name is done already"
    return
  fi
  say "$name"
  do_step alone-fairseq reconstruct "$source" ${word_list:+--word-list "$word_list"} --words "$words" --epochs "$epochs" \
    "${flags[@]}" --seed "$2" --device "$device" --pairs "${pairs[@]}" \
    --output "$file" --json "$facts"
  do_step python -m alone_experiments.results.record_reconstruction --facts "$facts" --row "$1" \
    --output "$results/$name.json" --notes "$notes"
}

# All runs, several at once where that is wanted; ends with the first that fails.
run_all() {
  local row seed run_pid run_pids=()
  ((jobs == 1)) || export OMP_NUM_THREADS=1
  set -m # a process group for each run, so that all of it can be stopped
  trap 'stop_runs; exit 143' INT TERM HUP
  while read -r row seed; do
    while (($(jobs -pr | wc -l) >= jobs)); do wait -n || fail_runs; done
    run_one "$row" "$seed" </dev/null &
    run_pids+=($!)
  done < <(list_runs)
  for run_pid in "${run_pids[@]}"; do wait "$run_pid" || fail_runs; done
}

stop_runs() {
  local run_pid
  for run_pid in $(jobs -pr); do kill -- "-$run_pid" || say "$run_pid has ended"; done
  wait
}

fail_runs() {
  stop_runs
  fail "a run failed; what it said is above"
}

# Set source and pairs: what the runs read, by names that no machine's folders are in.
prepare() {
  runs=$(relative "$work/runs/reconstruction")
  results=$(relative "${results:-$work/results/reconstruction}")
  local folder wordsim glove
  folder=$(relative "$work/data/reconstruction")
  wordsim=$(relative "$work/data/wordsim")
  glove=$(relative "$work/data/glove")
  do_step bash data-prep/wordsim.sh ${from:+--from "$from"}
  pairs=("$wordsim"/{simlex-999,wordsim-353,rg-65,men}.txt)
  if [[ -z $vectors ]]; then
    do_step bash data-prep/glove.sh ${from:+--from "$from"}
    source=$glove/glove.6B.300d.txt
  else
    source=$folder/$(basename "$vectors")
    do_step mkdir -p "$folder"
    do_step ln -sfn "$vectors" "$source"
  fi
  if [[ -n $word_list ]]; then
    do_step mkdir -p "$folder"
    do_step ln -sfn "$word_list" "$folder/words.txt"
    word_list=$folder/words.txt
  fi
  do_step mkdir -p "$runs" "$results"
}

choose_device() {
  # shellcheck source=scripts/hardware.sh
  source "$repository/scripts/hardware.sh"
  [[ -z $device ]] || return 0
  if has_gpu; then device=cuda; else device=cpu; fi
}

# relative PATH: as the project's folder sees it, so that records name no machine's folders.
relative() {
  local absolute
  absolute=$(realpath -ms "$1")
  printf '%s' "${absolute#"$repository/"}"
}

main() {
  local row seed
  parse_options "$@"
  check_options
  [[ -z $vectors ]] || vectors=$(realpath "$vectors")
  [[ -z $from ]] || from=$(realpath "$from")
  [[ -z $word_list ]] || word_list=$(realpath "$word_list")
  [[ -z $results ]] || results=$(realpath -m "$results")
  cd "$repository"
  choose_device
  if [[ -n $dry_run ]]; then
    prepare
    while read -r row seed; do run_one "$row" "$seed" 2>/dev/null; done < <(list_runs)
    return
  fi
  bash scripts/setup.sh >&2
  use_environment
  prepare
  lock "$runs"
  run_all
  python -m alone_experiments.results.reconstruction_table "$results"
}

main "$@"
