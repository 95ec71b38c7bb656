"""Tables of all word vectors: how they are built, and how long one is kept."""
