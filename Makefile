# Short names for the scripts; each of them answers --help.
.PHONY: help install style quality test test-slow table demo

help:       ## what there is
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/: *##/:/'

install:    ## the environment, with what developers need
	bash scripts/setup.sh --dev

style:      ## mend what the linters can mend
	bash scripts/lint.sh --fix

quality:    ## linters and type checks
	bash scripts/lint.sh

test:       ## fast tests
	bash scripts/test.sh

test-slow:  ## fast and slow tests
	bash scripts/test.sh --slow

table:      ## the tables of all results in results/
	cat results/benchmarks/*/benchmark.md
	bash -c 'source scripts/environment.sh && use_environment && \
	  for folder in $(filter-out results/benchmarks/ results/trust/,$(wildcard results/*/)); do \
	    alone-fairseq table "$$folder" || exit; done'

demo:       ## train and translate with four small models on a synthetic corpus
	bash scripts/quickstart.sh
