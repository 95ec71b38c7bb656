"""Scores of trained models, and the numbers of the training that made them."""
