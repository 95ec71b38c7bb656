"""Training of the rows of an experiment, and what is made of its checkpoints."""
