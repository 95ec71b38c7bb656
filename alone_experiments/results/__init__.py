"""Records of runs, and the tables, tests and plots made from them."""
