#!/usr/bin/env bash
# Translate and score the test set with a trained row, and record the result.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/options.sh
source "$repository/scripts/options.sh"
# shellcheck source=scripts/experiment.sh
source "$repository/scripts/experiment.sh"
# shellcheck source=scripts/headlines.sh
source "$repository/scripts/headlines.sh"

usage() {
  cat <<'TEXT'
usage: bash scripts/evaluate.sh CONFIG [options]

Averages the last checkpoints of the run of CONFIG (average.flags beside it),
translates the whole test set (generate.flags), undoes subword units and tokens, scores
with SacreBLEU against the raw reference (score.flags: further options of alone-fairseq
bleu), and records the run as one JSON file with its translations beside it. Does nothing
if the record is newer than the run. For headlines (headlines.flags beside it; other test
sets: headlines_NAME.flags), generates them at each desired length, re-ranks them, scores
with ROUGE, and keeps them beside the record.

  --data DIR       prepared corpus (default output/data/<experiment>)
  --save-dir DIR   the run (default output/runs/<experiment>/<row>--seed<N>)
  --results DIR    folder for the record (default output/results/<experiment>)
  --seed N         seed of the run (default 1)
  --notes TEXT     what the record should say beside the numbers
  --dry-run        print the commands and do nothing
  --help           show this text
TEXT
}

config='' data='' save_dir='' results='' seed=1 notes='' dry_run='' other_data=()

check_options() {
  [[ -n $config ]] || fail "CONFIG is missing; see --help"
  find_row "$config"
  check_number --seed "$seed"
  config=$(relative "$config") settings=$(relative "$settings")
  data=$(relative "${data:-$work/data/$experiment}")
  save_dir=$(relative "${save_dir:-$work/runs/$experiment/$row--seed$seed}")
  results=$(relative "${results:-$work/results/$experiment}")
  result="$results/$row--seed$seed.json"
}

check_run() {
  [[ -f $save_dir/checkpoint_last.pt ]] ||
    fail "no trained model in $save_dir; run: bash scripts/train.sh $config --seed $seed"
  [[ -f $data/raw/test.$target && -f $data/bin/dict.$target.txt ]] ||
    fail "no prepared corpus in $data; run: bash data-prep/$experiment.sh"
}

# A short run may have written fewer checkpoints than are to be averaged.
choose_checkpoints() {
  local flags=() wanted pattern files
  read_flags "$settings/average.flags" flags
  case ${flags[0]:-} in
    --num-epoch-checkpoints) pattern="checkpoint[0-9]*.pt" ;;
    --num-update-checkpoints) pattern="checkpoint_[0-9]*_[0-9]*.pt" ;;
    *) fail "$settings/average.flags must say --num-epoch-checkpoints N or" \
      "--num-update-checkpoints N" ;;
  esac
  wanted=${flags[1]:-}
  [[ $wanted =~ ^[1-9][0-9]*$ ]] || fail "$settings/average.flags: ${flags[0]} needs a number"
  mapfile -t files < <(find "$save_dir" -maxdepth 1 -name "$pattern" 2>/dev/null)
  averaged=$((${#files[@]} < wanted && ${#files[@]} > 0 ? ${#files[@]} : wanted))
  if [[ ${#files[@]} -eq 0 && -z $dry_run ]]; then
    averaged=1
    inputs=("$save_dir/checkpoint_last.pt")
  else
    inputs=("$save_dir" "${flags[0]}" "$averaged")
  fi
}

make_commands() {
  local flags=() languages=() scoring=() kept=()
  read_flags "$settings/recipe.flags" languages
  target=$(flag_value --target-lang "${languages[@]}")
  read_flags "$settings/generate.flags" flags
  [[ ! -f $settings/score.flags ]] || read_flags "$settings/score.flags" scoring
  average=(alone-fairseq average --inputs "${inputs[@]}" --output "$save_dir/averaged.pt")
  generate=(fairseq-generate "$data/bin" --user-dir alone_fairseq
    --source-lang "$(flag_value --source-lang "${languages[@]}")" --target-lang "$target"
    --gen-subset test --path "$save_dir/averaged.pt" "${flags[@]}" --no-progress-bar
    --results-path "$save_dir/test.partial")
  score=(alone-fairseq bleu --generated "$save_dir/test/generate-test.txt"
    --reference "$data/raw/test.$target" --language "$target"
    --output "$save_dir/test/hypotheses.$target" --json "$save_dir/test/bleu.json"
    --compound-split "${scoring[@]}")
  if is_headline_experiment; then
    read_headline_settings
  else
    kept=(--translations "$save_dir/test/hypotheses.$target")
  fi
  record=(python -m alone_experiments.results.record_result --experiment "$experiment" --row "$row"
    --seed "$seed" --run "$save_dir" --data "$data" --averaged "$averaged"
    "${kept[@]}" --notes "$notes" --output "$result")
}

# attempt COMMAND...: run it, keep what it says in a log, show that only if it fails.
attempt() {
  local log="$save_dir/evaluation.log"
  "$@" >"$log" 2>&1 || fail "$1 failed: $(tail -n 1 "$log"); all it said: $log"
}

is_up_to_date() {
  local source
  for source in "$save_dir/checkpoint_last.pt" "$settings"/{average,generate,score}.flags \
    "$settings"/headlines*.flags "${other_data[@]/%//prepared}"; do
    [[ ! -e $source || $result -nt $source ]] || return 1
  done
}

evaluate() {
  say "averaging $averaged checkpoints of $save_dir"
  attempt "${average[@]}"
  if is_headline_experiment; then score_headlines; else translate_and_score; fi
  mkdir -p "$results"
  attempt "${record[@]}"
  say "recorded $result"
}

translate_and_score() {
  say "translating $(wc -l <"$data/raw/test.$target") sentences"
  rm -rf "$save_dir/test.partial" "$save_dir/test"
  attempt "${generate[@]}"
  mv "$save_dir/test.partial" "$save_dir/test"
  attempt "${score[@]}"
  say "$(grep '^\(BLEU\|Tokenised\|test set\)' "$save_dir/evaluation.log")"
}

main() {
  local command
  read_options config 'data save-dir results seed notes' dry-run "$@"
  check_options
  cd "$repository"
  choose_checkpoints
  make_commands
  if [[ -n $dry_run ]]; then
    for command in average generate score record; do
      if is_headline_experiment && [[ $command == generate ]]; then print_headline_commands; fi
      if is_headline_experiment && [[ $command =~ ^(generate|score)$ ]]; then continue; fi
      local -n words=$command
      printf '%q ' "${words[@]}" && echo
    done
    exit
  fi
  use_environment
  check_run
  lock "$save_dir"
  if is_up_to_date; then
    say "$result is up to date" && exit
  fi
  evaluate
}

main "$@"
