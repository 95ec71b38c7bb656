"""Part-of-speech tagging: what word vectors are worth inside a task."""
