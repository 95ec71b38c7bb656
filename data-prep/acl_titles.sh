#!/usr/bin/env bash
# Papers of the ACL Anthology: first sentence of the abstract and title.
set -euo pipefail

about_corpus() {
  cat <<'TEXT'
usage: bash data-prep/acl_titles.sh --from DIR [options]

Prepares line-aligned pairs of the first sentence of an abstract (src.txt) and the title
of the paper (tgt.txt) from the ACL Anthology. The licence changes with the year of the
paper, and nothing is downloaded: give the two files.

Both sides become tokens of the Penn Treebank in lower case, digits as they are;
typographic and Windows punctuation becomes plain, ligatures are dissolved (NFKC).
Articles keep their first 99 words. Pairs that occur twice are dropped; of the rest
1,000 are the test set and 1,000 the validation set, drawn by a checksum, and no
training pair is a near-duplicate of them: same source, same title, or half of the
source's word trigrams in common (numbers aside). How many were left out stands in
splits.txt.

raw/test.article is the text to re-rank with, raw/test.title the reference.
TEXT
}

corpus=acl_titles test_pairs=1000 valid_pairs=1000 vocabulary=8000
cleaning=()
# shellcheck source=data-prep/headline_corpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/headline_corpus.sh"

prepare_corpus "$@"
