# Evaluation of headlines: n-best output at each desired length, re-ranked, ROUGE.
# To be sourced after experiment.sh, by evaluate.sh, whose variables it uses.
# shellcheck shell=bash disable=SC2154

# The settings are in headlines.flags beside the rows, those of further test sets in files
# headlines_NAME.flags:
#   --desired-lengths N,M   in characters; everything below is done for each of them
#   --preset NAME           of alone-fairseq rouge
#   --stem                  re-rank by Porter stems
#   --test-data NAME        another corpus than the training's to test on, in output/data

is_headline_experiment() { [[ -f $settings/headlines.flags ]]; }

# What belongs to a desired length is in test/N of the run, of a further set in test/NAME/N.
read_headline_set() { # read_headline_set FILE
  local flags=()
  read_flags "$1" flags
  IFS=, read -ra lengths <<<"$(flag_value --desired-lengths "${flags[@]}")"
  [[ ${#lengths[@]} -gt 0 && "${lengths[*]}" =~ ^([1-9][0-9]* ?)+$ ]] ||
    fail "$1 must say --desired-lengths N or N,M"
  preset=$(flag_value --preset "${flags[@]}")
  stem=()
  [[ " ${flags[*]} " != *" --stem "* ]] || stem=(--stem)
  test_data=$(flag_value --test-data "${flags[@]}")
  test_data=${test_data:+$(relative "$work/data/$test_data")}
  test_data=${test_data:-$data}
  prefix=''
  [[ $1 == */headlines.flags ]] || prefix=$(basename "${1#*/headlines_}" .flags)/
}

# read_headline_settings: what the record has of each set, and which test sets there are.
read_headline_settings() {
  local file names=()
  headline_sets=("$settings"/headlines.flags)
  for file in "$settings"/headlines_*.flags; do
    [[ ! -f $file ]] || headline_sets+=("$file")
  done
  other_data=()
  for file in "${headline_sets[@]}"; do
    read_headline_set "$file"
    names+=("${lengths[@]/#/$prefix}")
    [[ $test_data == "$data" ]] || other_data+=("$test_data")
  done
  kept=(--headlines "${names[@]}")
  ((${#other_data[@]} == 0)) || kept+=(--test-data "${other_data[@]}")
}

# The references: test.ref0 and so on where there are several, else the titles.
find_references() {
  mapfile -t references < <(find "$test_data/raw" -maxdepth 1 -name "test.ref[0-9]*" \
    2>/dev/null | sort)
  ((${#references[@]})) || references=("$test_data/raw/test.$target")
}

# make_headline_commands LENGTH: set generate, rerank, restore and score; a model without
# length control is not told the length.
make_headline_commands() {
  local flags=() training=() length=$1 folder="$save_dir/test/$prefix$1" wanted=()
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
  restore=()
  if has_masked_sources; then
    # shellcheck disable=SC2016  # the words that follow it
    restore=(bash -c 'alone-fairseq restore-digits --source "$1" <"$2" >"$3" && mv "$3" "$2"'
      restore "$test_data/raw/test.unmasked" "$folder/headlines.txt" "$folder/restored.txt")
  fi
  score=(alone-fairseq rouge --system "$folder/headlines.txt"
    --references "${references[@]}" --preset "$preset" --desired-length "$length"
    --json "$folder/rouge.json" --per-line "$folder/lines.tsv")
}

# References keep their digits, so that # in a headline has to become a number again.
has_masked_sources() {
  [[ -f $test_data/raw/test.unmasked ]] &&
    ! cmp -s "$test_data/raw/test.unmasked" "$test_data/raw/test.article"
}

print_headline_commands() {
  local file length command
  for file in "${headline_sets[@]}"; do
    read_headline_set "$file"
    find_references
    for length in "${lengths[@]}"; do
      make_headline_commands "$length"
      for command in generate rerank restore score; do
        local -n words=$command
        ((${#words[@]} == 0)) || { printf '%q ' "${words[@]}" && echo; }
      done
    done
  done
}

check_test_data() {
  local again
  again="run: bash data-prep/$(basename "$test_data").sh --from DIR"
  [[ -f $test_data/raw/test.article && -f $test_data/bin/dict.$target.txt ]] ||
    fail "no prepared test set in $test_data; $again"
  cmp -s "$test_data/bin/dict.$target.txt" "$data/bin/dict.$target.txt" ||
    fail "$test_data has another dictionary than $data, which the model has learned;" \
      "$again --training $data"
}

score_headlines() {
  local file
  for file in "${headline_sets[@]}"; do
    read_headline_set "$file"
    check_test_data
  done
  for file in "${headline_sets[@]}"; do
    read_headline_set "$file"
    find_references
    score_headline_set
  done
}

# What is generated already for a length is kept, so that a kill costs one length.
score_headline_set() {
  local length shown folder newer source
  for length in "${lengths[@]}"; do
    folder="$save_dir/test/$prefix$length" newer=yes
    shown="desired length $length${prefix:+ (${prefix%/})}"
    make_headline_commands "$length"
    for source in "$save_dir/checkpoint_last.pt" "$settings/generate.flags" \
      "$test_data/prepared"; do
      [[ $folder/generate-test.txt -nt $source ]] || newer=''
    done
    if [[ -z $newer ]]; then
      say "generating $(wc -l <"$test_data/raw/test.article") headlines, $shown"
      rm -rf "$folder" "$folder.partial"
      attempt "${generate[@]}"
      mv "$folder.partial" "$folder"
    fi
    attempt "${rerank[@]}"
    ((${#restore[@]} == 0)) || attempt "${restore[@]}"
    attempt "${score[@]}"
    say "$shown: $(grep -m 1 '^ROUGE-1' "$save_dir/evaluation.log" || true)"
  done
}
