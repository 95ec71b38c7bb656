"""Made-up files in the formats of Annotated Gigaword and of DUC-2004."""

import gzip
from pathlib import Path


def tree(words: str) -> str:
    """A parse tree of words, the full stop as the treebank has it."""
    leaves = [f"({'.' if w == '.' else 'NN'} {w})" for w in words.split()]
    return f"(TOP (S (NP {' '.join(leaves)})))"


def document(
    headline: str, *paragraphs: list[str], kind: str = "story", name: str = "A"
) -> str:
    """A document of Annotated Gigaword; each paragraph is a list of sentences."""
    body = "".join(
        "<P>\n" + "".join(f"{tree(s)}\n" for s in sentences) + "</P>\n"
        for sentences in paragraphs
    )
    return (
        f'<DOC id="{name}" type="{kind}" >\n<HEADLINE>\n{tree(headline)}\n</HEADLINE>\n'
        "<DATELINE>\n(TOP (NP (NNP PARIS)))\n</DATELINE>\n"
        f"<TEXT>\n{body}</TEXT>\n</DOC>\n"
    )


NOUNS = ("minister", "farmers", "parliament", "harvest", "strike", "railway", "bridge")
VERBS = ("praises", "rejects", "delays", "reports")


def month(folder: Path, name: str, documents: int, first: int = 0) -> Path:
    """A monthly file of made-up stories, all of which pass the filter."""
    text = ""
    for i in range(first, first + documents):
        one, two = NOUNS[i % 7], NOUNS[(i // 7 + 1 + i) % 7]
        verb = VERBS[i % 4]
        sentence = f"The {one} {verb} the {two} of the town , officials said on May {i}"
        text += document(f"{one} {verb} {two} number {i}", [f"{sentence} ."])
    path = folder / f"{name}.xml.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def nist(folder: Path, documents: int = 2) -> None:
    """NIST's files of DUC-2004 task 1: documents, references, and a system's output."""
    for number in range(documents):
        cluster, name = f"d{30001 + number}t", f"APW1998101{number}.0240"
        source = folder / "tasks1and2" / "docs" / cluster / name
        source.parent.mkdir(parents=True)
        source.write_text(
            f"<DOC>\n<DOCNO> {name} </DOCNO>\n<TEXT>\n<P>\n"
            "PHNOM PENH, Cambodia (AP) _ Cambodian leader Hun Sen on Friday rejected\n"
            "opposition parties' demands for talks outside the country, accusing"
            f" {number} of them of going ``international'' &UR; again.\n</P>\n"
            "<P>\nMr. Sen said no more.\n</P>\n</TEXT>\n</DOC>\n"
        )
        models = folder / "eval" / "models" / "1"
        models.mkdir(parents=True, exist_ok=True)
        for writer in "ACEF":
            reference = f"D{30001 + number}.P.10.T.{writer}.{name}"
            text = f"Writer {writer} on talks,\n no. {number}\n"
            (models / reference).write_text(text)
        peer = folder / "eval" / "peers" / "1" / f"D{30001 + number}.P.10.T.7.{name}"
        peer.parent.mkdir(parents=True, exist_ok=True)
        peer.write_text("what a system wrote\n")
