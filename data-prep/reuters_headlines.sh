#!/usr/bin/env bash
# Reuters-21578: first sentence and headline, ready for training.
set -euo pipefail

about_corpus() {
  cat <<'TEXT'
usage: bash data-prep/reuters_headlines.sh --from DIR [options]

Prepares line-aligned pairs of the first sentence (src.txt) and the headline (tgt.txt)
of Reuters-21578. The collection is for research only and nothing is downloaded: give
the two files.

Both sides become tokens of the Penn Treebank in lower case, digits as they are. Share
codes such as <SRD>, and angle brackets around names, are removed. Articles keep their
first 99 words. Pairs that occur twice are dropped; of the rest 1,000 are the test set
and 1,000 the validation set, drawn by a checksum, and no training pair is a
near-duplicate of them: same source, same title, or half of the source's word trigrams
in common (numbers aside). How many were left out stands in splits.txt.

raw/test.article is the text to re-rank with, raw/test.title the reference.
TEXT
}

corpus=reuters_headlines test_pairs=1000 valid_pairs=1000 vocabulary=4000
cleaning=(--remove-tickers)
# shellcheck source=data-prep/headline_corpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/headline_corpus.sh"

prepare_corpus "$@"
