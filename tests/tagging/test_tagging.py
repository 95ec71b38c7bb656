"""The tagger: its formula, the reader of treebanks, the search, kills, bad input."""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from alone_experiments import cli, provenance
from alone_experiments.mistakes import Mistake
from alone_experiments.tagging import command
from alone_experiments.tagging import fit as fit_module
from alone_experiments.tagging.fit import Fit, Schedule, accuracy
from alone_experiments.tagging.job import Job
from alone_experiments.tagging.tagger import Tagger
from alone_experiments.tagging.treebank import (
    Sentence,
    Treebank,
    read_sentences,
    read_treebank,
)
from alone_fairseq.embeddings.characters import CharactersEmbedding
from alone_fairseq.embeddings.lookup import LookupEmbedding

WORDS = ["the", "dog", "barks", "dogs", "bark"]
TAGS = {"the": "DET", "dog": "NOUN", "barks": "VERB", "dogs": "NOUN", "bark": "VERB"}
SENTENCES = [["the", "dog", "barks"], ["dogs", "bark"], ["the", "dogs", "bark"]]
TREEBANK = Treebank(
    {
        "train": [Sentence(s, [TAGS[w] for w in s]) for s in SENTENCES],
        "dev": [Sentence(["the", "dog"], ["DET", "NOUN"])],
        "test": [Sentence(["the", "cat", "barks"], ["DET", "NOUN", "X"])],
    }
)


def make(table: bool = True, dropout: float = 0.0) -> Tagger:
    torch.manual_seed(0)
    spelled = CharactersEmbedding(len(WORDS), 4, None, WORDS)
    embedding = LookupEmbedding(1 + len(WORDS), 3) if table else None
    return Tagger(spelled, embedding, WORDS, ["dog"], 3, 5, dropout)


@pytest.mark.parametrize("table", [True, False])
def test_scores_are_those_of_each_sentence_alone(table: bool) -> None:
    tagger = make(table).eval()
    first, _, last = tagger.output
    logits = []
    for sentence in SENTENCES:
        vectors = tagger.spelled.vectors_of(sentence)
        if tagger.table is not None:
            rows = torch.tensor([1 + WORDS.index(word) for word in sentence])
            vectors = torch.cat([tagger.table(rows), vectors], dim=1)
        states, _ = tagger.lstm(vectors.unsqueeze(0))
        logits.append(last(nn.functional.relu(first(states[0]))))  # type: ignore[operator]
    torch.testing.assert_close(tagger(SENTENCES), torch.cat(logits))


def test_words_that_the_table_has_not_share_a_row() -> None:
    tagger = make().eval()
    one, other = tagger.vectors(["cat", "the"])[0], tagger.vectors(["cows"])[0]
    assert torch.equal(one[:3], other[:3])
    assert not torch.equal(one[3:], other[3:])
    assert torch.equal(tagger.table.vectors[0], one[:3])  # type: ignore[union-attr, arg-type]


def test_any_case_is_for_given_vectors() -> None:
    made = make()
    assert [made.row_of(word) for word in ("dog", "DOG", "cat")] == [2, 0, 0]
    words = ["US", "dog", "us", "Cat"]
    tagger = Tagger(made.spelled, made.table, words, [], 3, 5, 0.0, ["us", "Cat"])
    found = [tagger.row_of(word) for word in ("US", "Us", "DOG", "cat")]
    assert found == [1, 3, 0, 4]


def test_rare_words_are_unknown_half_of_the_time() -> None:
    tagger = make().train()
    rows = tagger.vectors(["dog"] * 400 + ["the"] * 50)[:, :3]
    unknown = (rows == tagger.table.vectors[0]).all(1)  # type: ignore[union-attr, index]
    assert 150 < unknown[:400].sum() < 250
    assert not unknown[400:].any()


def test_accuracy_of_all_words_and_of_new_ones() -> None:
    tagger = make()
    with torch.no_grad():
        for parameter in tagger.output.parameters():
            parameter.zero_()
        tagger.output[2].bias[:] = torch.tensor([0.0, 1.0, 0.0])  # type: ignore[index, operator]
    assert TREEBANK.tags == ["DET", "NOUN", "VERB"]
    assert accuracy(tagger, TREEBANK, "dev") == (0.5, None)
    # A tag that training has not is never right.
    right, unseen = accuracy(tagger, TREEBANK, "test")
    assert (right, unseen) == (pytest.approx(1 / 3), 1.0)


def test_it_learns_and_keeps_the_best_epoch() -> None:
    fit = Fit(make(dropout=0.1), TREEBANK, Schedule(0.05, 0.1, 1, 40, 2, 5))
    while not fit.finished:
        fit.run_epoch()
    assert max(fit.dev) == 1.0
    fit.tagger.load_state_dict(fit.best)
    assert accuracy(fit.tagger, TREEBANK, "train")[0] == 1.0


# the command


def lines(sentences: list[Sentence]) -> str:
    text = "# newdoc\n"
    for words, tags in sentences:
        text += f"# text = {' '.join(words)}\n1-2\t{words[0]}s" + "\t_" * 8 + "\n"
        for number, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
            text += f"{number}\t{word}\t_\t{tag}\t{tag[0]}" + "\t_" * 5 + "\n"
        text += "8.1\tnot\t_\tPART\tNEG" + "\t_" * 5 + "\n\n"
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A treebank, one of its files gzipped."""
    made = tmp_path / "treebank"
    made.mkdir()
    for part, sentences in TREEBANK.parts.items():
        text = lines(sentences).encode()
        if part == "train":
            (made / "x-train.conllu.gz").write_bytes(gzip.compress(text))
        else:
            (made / f"x-{part}.conllu").write_bytes(text)
    return made


def tag(folder: Path, output: Path, *words: Any) -> dict[str, Any]:
    small = ["--epochs", 3, "--batch-size", 2, "--hidden", 4, "--dim", 3]
    fast = ["--lr", 0.02, "--dropout", "0.1"]
    given = ["tag", folder, "--output", output, *small, *fast, *words]
    cli.main([str(word) for word in given])
    found: dict[str, Any] = json.loads((output / "summary.json").read_text())
    return found


def test_files_are_read_as_they_were_written(folder: Path) -> None:
    assert read_treebank(folder, "upos").parts == TREEBANK.parts
    assert read_treebank(folder, "xpos", 1).parts["train"][0].tags == ["D", "N", "V"]


def test_the_treebank_of_english(shared_data: Any) -> None:
    found = read_treebank(shared_data("ud_ewt"), "upos", 300)
    assert len(found.tags) == 17
    first = found.parts["train"][0]
    assert first.words[:4] == ["Al", "-", "Zaman", ":"]
    assert first.tags[:4] == ["PROPN", "PUNCT", "PROPN", "PUNCT"]


def test_search_choice_and_seeds(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--dropout", "0.1,0.5", "--seed", "1,2"]
    found = tag(folder, tmp_path / "out", *words)
    assert [trial["dropout"] for trial in found["tried"]] == [0.1, 0.5]
    best = max(trial["dev"] for trial in found["tried"])
    first = next(trial for trial in found["tried"] if trial["dev"] == best)
    assert found["chosen"]["dropout"] == first["dropout"]
    assert len(found["test"]) == len(found["dev"]) == 2
    assert found["dev"][0] == best
    names = sorted(file.name for file in (tmp_path / "out").glob("lr*"))
    assert len(names) == 3
    capsys.readouterr()
    assert tag(folder, tmp_path / "out", *words) == found
    assert capsys.readouterr().out.count("is done already") == 3
    with pytest.raises(Mistake, match=r"of other settings \(epochs: 3, now 4\)"):
        tag(folder, tmp_path / "out", *words, "--epochs", 4)


def test_all_weights_follow_from_the_seed(folder: Path) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    given = [str(folder), "--output", "out", "--embedding-method", "lookup"]
    job = Job.of(parser.parse_args(given), TREEBANK, ())
    one, same, other = (
        job.tagger(Schedule(0.01, 0.1, seed)).state_dict() for seed in (1, 1, 2)
    )
    for name, values in one.items():
        assert torch.equal(values, same[name])
    assert not torch.equal(one["lstm.weight_ih_l0"], other["lstm.weight_ih_l0"])
    assert not torch.equal(one["output.0.weight"], other["output.0.weight"])


def test_words_in_another_order_are_another_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag(folder, tmp_path / "out", "--embedding-method", "lookup")
    tag(folder, tmp_path / "char")
    words = Job.words
    monkeypatch.setattr(Job, "words", lambda self: words(self)[::-1])
    with pytest.raises(Mistake, match=r"of other settings \(words: "):
        tag(folder, tmp_path / "out", "--embedding-method", "lookup")
    tag(folder, tmp_path / "char")  # has no table


def test_a_table_is_brought_close_to_given_vectors_once_a_seed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[int] = []
    take = LookupEmbedding.take_vectors
    monkeypatch.setattr(
        LookupEmbedding,
        "take_vectors",
        lambda self, vectors: fits.append(1) or take(self, vectors),
    )
    vectors = tmp_path / "v"
    vectors.write_text("dog 1 0 2\ncat 0 1 0.5\n")
    words = ["--dropout", "0.1,0.5", "--seed", "1,2", "--embedding-method", "lookup"]
    found = tag(folder, tmp_path / "out", *words, "--vectors", vectors)
    assert len(fits) == 2
    assert tag(folder, tmp_path / "out", *words, "--vectors", vectors) == found
    assert len(fits) == 2


class Killed(BaseException):
    """Stands for a kill: nothing in the program may catch it."""


def test_a_killed_training_ends_as_one_that_was_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--embedding-method", "lookup"]
    # What git says of the checkout can change while other tests run.
    monkeypatch.setattr(provenance, "describe_code", lambda _: ("abc", False))
    whole = tag(folder, tmp_path / "whole", *words)
    run_epoch = Fit.run_epoch

    def dies(fit: Fit) -> None:
        if len(fit.dev) == 2:
            raise Killed
        run_epoch(fit)

    with monkeypatch.context() as killing:
        killing.setattr(Fit, "run_epoch", dies)
        with pytest.raises(Killed):
            tag(folder, tmp_path / "cut", *words)
    found = tag(folder, tmp_path / "cut", *words)
    assert found == {**whole, "row": "cut", "created": found["created"]}
    assert not list((tmp_path / "cut").glob("*.unfinished"))


@pytest.mark.parametrize(
    ("method", "options", "values"),
    [
        ("lookup", [], 6 * 3),
        ("alone", ["--alone-inter-dim", 4], 3 + 2 * 3 * 4),
        ("hashed", ["--hashed-buckets", 4], 4 * 3 + 6 * 2),
        ("codes", ["--codes-num-codebooks", 2], 2 * 16 * 3),
    ],
)
def test_any_method_stands_for_the_table(
    method: str, options: list[Any], values: int, folder: Path, tmp_path: Path
) -> None:
    words = ["--epochs", 1, "--embedding-method", method, *options]
    found = tag(folder, tmp_path / "out", *words)
    assert found["footprint"]["table"]["trained_values"] == values
    assert found["rows"]["table"] == 6


def test_a_student_and_given_vectors_are_the_start(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = tmp_path / "v"
    vectors.write_text("dog 1 0 2\nThe 1 1 1\ncat 0 1 0.5\n")
    student = tmp_path / "student.pt"
    method = ["--embedding-method", "characters", "--characters-min-count", "1"]
    fit = ["--words", "3", "--epochs", "2", "--batch-size", "2"]
    cli.main(["reconstruct", str(vectors), *method, *fit, "--output", str(student)])
    taken: list[Tagger] = []
    make_fit = fit_module.Fit.__init__

    def keep(self: Fit, tagger: Tagger, *args: Any) -> None:
        taken.append(tagger)
        before = {name: p.clone() for name, p in tagger.state_dict().items()}
        tagger.before = before  # type: ignore[assignment]
        make_fit(self, tagger, *args)

    monkeypatch.setattr(fit_module.Fit, "__init__", keep)
    given = ["--vectors", vectors, "--embedding-method", "lookup"]
    found = tag(folder, tmp_path / "out", "--student", student, *given)
    assert found["rows"]["table"] == 1 + 5 + 2  # The and cat are further words
    with pytest.raises(Mistake, match="--dim 7: the files say 3: remove it"):
        tag(folder, tmp_path / "other", "--student", student, *given, "--dim", 7)
    with pytest.raises(Mistake, match=r"student.pt: .*PyTorch saved.*--vectors-out"):
        tag(folder, tmp_path / "other", *given[2:], "--vectors", student)
    before: Any = taken[0].before
    known = taken[0].known
    expected = {"dog": [1, 0, 2], "the": [1, 1, 1], "cat": [0, 1, 0.5]}
    for word, vector in expected.items():
        assert before["table.vectors"][known[word]].tolist() == vector
    saved = torch.load(student)["embedding"]
    assert torch.equal(before["spelled.characters"], saved["characters"])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "holds no sentences"),
        ("1\tdog\n", r"line 1: must have 10 fields .* it has 2"),
        ("# a\n1\tdog\t_\t_\tN" + "\t_" * 5, "line 2: has no word or no upos tag"),
        ("\udcff", "is not UTF-8 text"),
    ],
)
def test_damaged_files_are_told_of(text: str, line: str, tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(Mistake, match=line):
        read_sentences(file, "upos")
    packed = tmp_path / "a.conllu.gz"
    packed.write_bytes(gzip.compress(lines(TREEBANK.parts["dev"]).encode())[:-9])
    with pytest.raises(Mistake, match="is damaged"):
        read_sentences(packed, "upos")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--vectors", "v"], "--vectors is for the table of words"),
        (["--seed", "1,1"], "--seed names a seed twice"),
        (["--student", "none.pt"], "none.pt: no such file"),
        (
            ["--student", "s.pt", "--characters-highway"],
            "--characters-highway: --student brings its own network",
        ),
        (["--embedding-method", "aloen"], "did you mean 'alone'"),
        (
            ["--hashed-buckets", 3],
            "--hashed-buckets belongs to --embedding-method hashed, and the model has"
            " characters",
        ),
        (
            ["--embedding-method", "lookup", "--alone-inter-dim", 3],
            "the model has lookup and characters",
        ),
        (["--embedding-method", "hashed", "--hashed-num-hashes", 0], "--hashed-num"),
    ],
)
def test_bad_input(words: list[Any], line: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=line):
        tag(folder, tmp_path / "out", *words)
    assert not list(tmp_path.glob("out/*.json"))


def test_bad_numbers_and_folders(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = (("--lr", "0"), ("--lr", "inf"), ("--lr", "a,b"), ("--dropout", "1"))
    for flag, value in wrong:
        with pytest.raises(SystemExit):
            tag(folder, tmp_path / "out", flag, value)
        assert f"{flag}: must be numbers" in capsys.readouterr().err
    with pytest.raises(Mistake, match=r"has no files \*-train.conllu"):
        tag(tmp_path, tmp_path / "out")


def test_a_rate_that_diverges_is_recorded_and_not_chosen(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--lr", "1e30,0.02"]
    found = tag(folder, tmp_path / "out", *words)
    assert found["chosen"]["lr"] == 0.02
    assert [trial["dev"] is None for trial in found["tried"]] == [True, False]
    record = json.loads(
        (tmp_path / "out" / "lr1e+30-dropout0.1-seed1.json").read_text()
    )
    assert "finite" in record["diverged"]
    assert not list((tmp_path / "out").glob("*.unfinished"))
    capsys.readouterr()
    assert tag(folder, tmp_path / "out", *words) == found
    assert capsys.readouterr().out.count("is done already") == 2
    with pytest.raises(Mistake, match=r"every training diverged: .* finite"):
        tag(folder, tmp_path / "none", "--lr", "1e30")


def test_a_seed_of_the_chosen_rate_that_diverges_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_epoch = Fit.run_epoch

    def diverges(fit: Fit) -> None:
        if fit.schedule.seed == 2:
            raise fit_module.DivergedError("no longer finite")
        run_epoch(fit)

    monkeypatch.setattr(Fit, "run_epoch", diverges)
    with pytest.raises(Mistake, match="diverged with seed 2: no longer finite"):
        tag(folder, tmp_path / "out", "--seed", "1,2")


def test_rates_that_are_alike_have_records_of_their_own(
    folder: Path, tmp_path: Path
) -> None:
    found = tag(folder, tmp_path / "out", "--lr", "0.00012345671,0.00012345672")
    assert len(found["tried"]) == len(list(tmp_path.glob("out/lr*"))) == 2


def test_a_fit_to_given_vectors_is_not_done_again_after_a_kill(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = tmp_path / "v"
    vectors.write_text("dog 1 0 2\ncat 0 1 0.5\n")
    words = ["--embedding-method", "lookup", "--vectors", vectors]
    monkeypatch.setattr(provenance, "describe_code", lambda _: ("abc", False))
    whole = tag(folder, tmp_path / "whole", *words)
    with monkeypatch.context() as killing:
        killing.setattr(Fit, "run_epoch", lambda _: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            tag(folder, tmp_path / "cut", *words)
    monkeypatch.setattr(LookupEmbedding, "take_vectors", None)
    found = tag(folder, tmp_path / "cut", *words)
    assert found == {**whole, "row": "cut", "created": found["created"]}


def test_other_files_beside_a_treebank(folder: Path) -> None:
    (folder / "x-dev.conllu.bak").write_text("no treebank")
    marked = folder / "x-dev.conllu"
    marked.write_bytes(b"\xef\xbb\xbf" + marked.read_bytes())
    assert read_treebank(folder, "upos").parts == TREEBANK.parts


def test_the_row_of_this_folder_has_its_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "char").mkdir()
    monkeypatch.chdir(tmp_path / "char")
    assert tag(folder, Path())["row"] == "char"
