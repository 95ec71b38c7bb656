"""The archives of WMT'16 made from a little text: same names, layout and formats."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

Pairs = Sequence[tuple[str, str]]

NEWS = "training-parallel-nc-v11"
TRAINING = {
    "training-parallel-europarl-v7.tgz": "training/europarl-v7.de-en",
    "training-parallel-commoncrawl.tgz": "commoncrawl.de-en",
    f"{NEWS}.tgz": f"{NEWS}/news-commentary-v11.de-en",
}
"""Names of the training archives, and of the texts in them without the language."""

TEST_SETS = {
    "wmt13-test.tgz": ("valid", "test/newstest2013-src", "test/newstest2013-src"),
    "wmt14-test-full.tgz": (
        "test",
        "test-full/newstest2014-deen-src",
        "test-full/newstest2014-deen-ref",
    ),
}
"""Names of the others: the part, and the English and German text without the end."""


def sgml(sentences: Sequence[str]) -> str:
    """Write sentences as WMT's test sets have them."""
    segments = "".join(
        f'<seg id="{number}">{sentence}</seg>\n'
        for number, sentence in enumerate(sentences, 1)
    )
    return (
        '<srcset setid="a" srclang="any">\n<doc docid="b" origlang="en">\n<p>\n'
        f"{segments}</p>\n</doc>\n</srcset>\n"
    )


def tgz(path: Path, members: dict[str, str | bytes]) -> None:
    """Write an archive; the same members give the same bytes."""
    with (
        path.open("wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for name, text in members.items():
            content = text.encode() if isinstance(text, str) else text
            information = tarfile.TarInfo(name)
            information.size = len(content)
            archive.addfile(information, io.BytesIO(content))


def _entry(path: Path, part: str, english: str, german: str, checksums: bool) -> str:
    lines = [
        "[[archive]]",
        f'file = "{path.name}"',
        f'url = "http://127.0.0.1:9/{path.name}"',
        f'part = "{part}"',
        f'members.en = "{english}"',
        f'members.de = "{german}"',
    ]
    if checksums:
        lines.append(f"bytes = {path.stat().st_size}")
        lines.append(f'sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}"')
    return "\n".join(lines) + "\n"


def make_mirror(
    folder: Path, train: Pairs, valid: Pairs, test: Pairs, checksums: bool = True
) -> Path:
    """Write the five archives and their catalogue.

    Args:
        folder: Where to write them.
        train: English and German sentences; a third to each training archive.
        valid: What newstest2013 is to be.
        test: What newstest2014 is to be.
        checksums: Whether the catalogue knows sizes and checksums.

    Returns:
        The catalogue.
    """
    folder.mkdir(parents=True)
    catalogue = ""
    third = -(-len(train) // 3)
    for number, (name, stem) in enumerate(TRAINING.items()):
        pairs = train[number * third : (number + 1) * third]
        members: dict[str, str | bytes] = {"training/other.fr-en.en": "Not this.\n"}
        for side, language in ((1, "de"), (0, "en")):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            members[f"{stem}.{language}"] = text
        tgz(folder / name, members)
        catalogue += _entry(
            folder / name, "train", f"{stem}.en", f"{stem}.de", checksums
        )
    for name, (part, english, german) in TEST_SETS.items():
        pairs = valid if part == "valid" else test
        names = f"{english}.en.sgm", f"{german}.de.sgm"
        texts = (sgml([pair[side] for pair in pairs]) for side in (0, 1))
        tgz(folder / name, dict(zip(names, texts, strict=True)))
        catalogue += _entry(folder / name, part, *names, checksums)
    path = folder / "catalogue.toml"
    path.write_text(catalogue)
    return path
