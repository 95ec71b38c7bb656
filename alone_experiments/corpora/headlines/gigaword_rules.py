"""Which Gigaword pairs are kept, and what is removed from their titles.

The rules are those of Rush et al. (2015). Of their list of marks that no title may
contain, the ones below are documented; the list in their code has further ones.
"""

from __future__ import annotations

# Parts of titles, not words: `ap` also drops "japan" and "capital", as published.
FORBIDDEN_IN_TITLE = (
    "update",
    "ap",
    "gmt",
    "adds",
    "quotes",
    "attention",
    "background",
    "?",
    " i ",
    " : ",
    " - ",
    " by ",
    "-lrb-",
    "-rrb-",
)
# `-llb-` for `-lrb-` is published so; titles with brackets are dropped before.
REMOVED_FROM_TITLE = frozenset(
    {"''", "'", '"', "!", "=", "-", "--", ",", "?", ".", "``", "`", "-rrb-", "-llb-"}
    | {"\\/"}
)


def is_kept(article: str, title: str) -> bool:
    """Whether a training or validation pair passes the published filter.

    Args:
        article: First sentence, as tokens.
        title: Headline, as tokens, before :func:`clean_title`.

    Returns:
        Whether the article has 11 to 99 words and a full stop, the title 4 to 49 words
        and no mark of an editor, and both share a word of more than three letters.
    """
    words, title_words = article.lower().split(), title.lower().split()
    lowered = title.lower()
    return (
        10 < len(words) < 100
        and 3 < len(title_words) < 50
        and "." in words
        and any(len(word) > 3 for word in set(words) & set(title_words))
        and not any(part in lowered for part in FORBIDDEN_IN_TITLE)
    )


def clean_title(title: str) -> str:
    """Lower-case a title and drop its punctuation tokens."""
    words = title.lower().split()
    return " ".join(word for word in words if word not in REMOVED_FROM_TITLE)
