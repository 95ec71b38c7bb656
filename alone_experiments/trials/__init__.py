"""What was tried and did not win: plugins of fairseq for single experiments."""
