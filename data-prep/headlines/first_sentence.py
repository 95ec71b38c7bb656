"""Where the sentences of newspaper text end.

The published preparation of DUC-2004 asks NLTK's trained Punkt model, which is a
download of its own. These rules are for the same kind of text: a sentence ends at a
full stop, question mark or exclamation mark, with any closing quotes and brackets,
before white space and what may begin a sentence; not after an abbreviation or initial.
"""

from __future__ import annotations

import re

# Followed by a name or a number rather than by the end of a sentence.
_ABBREVIATIONS = """
    adm al apr ariz ark assn aug ave bros calif capt cmdr col colo conn cpl dec del
    dept dr ed est feb fla fri ft ga gen gov hon ill ind inst jan jr jul jun kan ky
    la lt ltd maj mar mass md messrs mich minn miss mo mon mr mrs ms mt mx no nov
    oct okla ore pa ph pres prof rep rev sat sec sen sens sept sgt sr st sun supt
    tenn tex thu tue univ va vs vt wash wed wis
""".split()
_EITHER = ("corp", "inc", "co", "cos", "etc")
# With these words the next sentence begins; another name would go on.
_OPENERS = """
    A After Also An And As At But By For From He Her His However If In It Its Last Many
    More Most No Of On One Other Our She Since So Some That The Their Then There These
    They This Those To Two We When While With You
""".split()
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
    if word.lower() in _ABBREVIATIONS or re.fullmatch(r"[A-Z]", word):
        return True
    # Corp., Inc., U.S.: both inside and at the end; a following name settles nothing,
    # an article or pronoun does.
    if re.fullmatch(r"([A-Za-z]\.)+[A-Za-z]", word) or word.lower() in _EITHER:
        following = re.match(r"['\"`(\[]*(\w+)", rest)
        return following is not None and following[1] not in _OPENERS
    return False
