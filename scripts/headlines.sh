# Evaluation of headlines: n-best output at each desired length, re-ranked, ROUGE.
# To be sourced after experiment.sh, by evaluate.sh, whose variables it uses.
# shellcheck shell=bash disable=SC2154

# The settings are in headlines.flags beside the rows:
#   --desired-lengths N,M   in characters; everything below is done for each of them
#   --preset NAME           of alone-fairseq rouge
#   --stem                  re-rank by Porter stems
#   --test-data NAME        another corpus than the training's to test on, in output/data

is_headline_experiment() { [[ -f $settings/headlines.flags ]]; }

read_headline_settings() {
  local flags=()
  read_flags "$settings/headlines.flags" flags
  IFS=, read -ra lengths <<<"$(flag_value --desired-lengths "${flags[@]}")"
  [[ ${#lengths[@]} -gt 0 && "${lengths[*]}" =~ ^([1-9][0-9]* ?)+$ ]] ||
    fail "$settings/headlines.flags must say --desired-lengths N or N,M"
  preset=$(flag_value --preset "${flags[@]}")
  stem=()
  [[ " ${flags[*]} " != *" --stem "* ]] || stem=(--stem)
  test_data=$(flag_value --test-data "${flags[@]}")
  test_data=${test_data:+$(relative "$work/data/$test_data")}
  test_data=${test_data:-$data}
}

# The references: test.ref0 and so on where there are several, else the titles.
find_references() {
  mapfile -t references < <(find "$test_data/raw" -maxdepth 1 -name "test.ref[0-9]*" \
    2>/dev/null | sort)
  ((${#references[@]})) || references=("$test_data/raw/test.$target")
}

# make_headline_commands LENGTH: set generate, rerank and score; a model without length
# control is not told the length.
make_headline_commands() {
  local flags=() training=() length=$1 folder="$save_dir/test/$1" wanted=()
  read_flags "$settings/generate.flags" flags
  read_flags "$settings/recipe.flags" training
  read_flags "$config" training
  task=$(flag_value --task "${training[@]}")
  [[ $task != translation_with_length ]] || wanted=(--desired-length "$length")
  generate=(fairseq-generate "$test_data/bin" --user-dir alone_fairseq --task "$task"
    --source-lang "$(flag_value --source-lang "${training[@]}")" --target-lang "$target"
    --gen-subset test --path "$save_dir/averaged.pt" "${wanted[@]}" "${flags[@]}"
    --no-progress-bar --results-path "$folder.partial")
  rerank=(alone-fairseq rerank --generated "$folder/generate-test.txt"
    --source "$test_data/raw/test.article" "${stem[@]}" --output "$folder/headlines.txt")
  score=(alone-fairseq rouge --system "$folder/headlines.txt"
    --references "${references[@]}" --preset "$preset" --desired-length "$length"
    --json "$folder/rouge.json")
}

print_headline_commands() {
  local length command
  find_references
  for length in "${lengths[@]}"; do
    make_headline_commands "$length"
    for command in generate rerank score; do
      local -n words=$command
      printf '%q ' "${words[@]}" && echo
    done
  done
}

check_test_data() {
  [[ -f $test_data/raw/test.article && -f $test_data/bin/dict.$target.txt ]] ||
    fail "no prepared test set in $test_data; run: bash data-prep/$(basename "$test_data").sh"
}

# What is generated already for a length is kept, so that a kill costs one length.
score_headlines() {
  local length folder
  check_test_data
  find_references
  for length in "${lengths[@]}"; do
    folder="$save_dir/test/$length"
    make_headline_commands "$length"
    if [[ ! $folder/generate-test.txt -nt $save_dir/checkpoint_last.pt ||
      ! $folder/generate-test.txt -nt $settings/generate.flags ]]; then
      say "generating $(wc -l <"$test_data/raw/test.article") headlines, desired length $length"
      rm -rf "$folder" "$folder.partial"
      attempt "${generate[@]}"
      mv "$folder.partial" "$folder"
    fi
    attempt "${rerank[@]}"
    attempt "${score[@]}"
    say "desired length $length: $(grep -m 1 '^ROUGE-1' "$save_dir/evaluation.log" || true)"
  done
}
