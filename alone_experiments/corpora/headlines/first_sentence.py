"""Where the sentences of newspaper text end.

The published preparation of DUC-2004 asks NLTK's trained Punkt model, which is a
download of its own. These rules are for the same kind of text: a sentence ends at a
full stop, question mark or exclamation mark, with any closing quotes and brackets,
before white space and what may begin a sentence; not after an abbreviation or initial.
"""

from __future__ import annotations

import re

# Followed by a name or a number rather than by the end of a sentence.
_TITLES_PLACES_DATES = """
    Adm Al Apr Ariz Ark Assn Aug Ave Bros Calif Capt Cmdr Col Colo Conn Cpl Dec Del
    Dept Dr Ed Est Feb Fla Fri Ft Ga Gen Gov Hon Ill Ind Inst Jan Jr Jul Jun Kan Ky
    La Lt Ltd Maj Mar Mass Md Messrs Mich Minn Miss Mo Mon Mr Mrs Ms Mt Mx No Nov
    Oct Okla Ore Pa Ph Pres Prof Rep Rev Sat Sec Sen Sens Sept Sgt Sr St Sun Supt
    Tenn Tex Thu Tue Univ Va vs Vt Wash Wed Wis
"""
_ABBREVIATIONS = frozenset(_TITLES_PLACES_DATES.split())
_EITHER = ("corp", "inc", "co", "cos", "etc")
# With these words the next sentence begins; another name would go on.
_FIRST_WORDS = """
    A After Also An And As At But By For From He Her His However If In It Its Last Many
    More Most No Of On One Other Our She Since So Some That The Their Then There These
    They This Those To Two We When While With You
"""
_OPENERS = frozenset(_FIRST_WORDS.split())
_END = re.compile(r"""[.?!]+(['")\]]*)\s+(?=['"`(\[]*[A-Z0-9])""")


def sentences(text: str) -> list[str]:
    """Split a text into sentences.

    Args:
        text: Plain text in its original case.

    Returns:
        Its sentences in order, without the white space around them; none if the text
        is blank.
    """
    text, found, start = " ".join(text.split()), [], 0
    for end in _END.finditer(text):
        if not _goes_on(text[start : end.end()].rstrip(), text[end.end() :]):
            found.append(text[start : end.end()].rstrip())
            start = end.end()
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _goes_on(so_far: str, rest: str) -> bool:
    """Whether the stop belongs to an abbreviation inside the sentence."""
    if not so_far.endswith("."):
        return False
    word = so_far.split(" ")[-1].lstrip("'\"`([")[:-1]
    if word in _ABBREVIATIONS or re.fullmatch(r"[A-Z]", word):
        return True
    # Corp., Inc., U.S.: both inside and at the end; a following name settles nothing,
    # an article or pronoun does.
    if re.fullmatch(r"([A-Za-z]\.)+[A-Za-z]", word) or word.lower() in _EITHER:
        following = re.match(r"['\"`(\[]*(\w+)", rest)
        return following is not None and following[1] not in _OPENERS
    return False
