"""Sentiment of film reviews, by an LSTM over fixed word vectors."""
