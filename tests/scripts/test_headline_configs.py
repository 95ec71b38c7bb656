"""configs/ of headlines: the recipes and rows of the paper, and the stated sizes."""

import argparse
import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from alone_experiments import cli

ROOT = Path(__file__).resolve().parent.parent.parent
EXPERIMENTS = sorted(
    path.parent for path in (ROOT / "configs").glob("*/headlines.flags")
)
# Entries of the dictionary that data-prep/<experiment>.sh makes, and D.
SIZES = {"reuters_headlines": (3928, 128), "acl_titles": (7784, 128)}
TABLE_3 = {"lookup"} | {
    f"alone_{kind}_{size}" for kind in ("binary", "real") for size in (512, 1024)
}
SMALL_ROWS = {
    *("lookup", "lookup_lrpe", "lookup_ldpe", "lookup_no_control"),
    *(f"alone_{a}_{b}" for a in ("binary", "real") for b in ("half", "eighth")),
}
PUBLISHED = {f"{row}_published" for row in SMALL_ROWS if row.startswith("alone")}
STARTS = {f"alone_binary_{size}_lookup_scale" for size in ("half", "eighth")}
NO_ROWS = {"recipe", "average", "generate", "headlines", "headlines_gigaword"}


def rows(experiment: Path) -> list[Path]:
    return [path for path in experiment.glob("*.flags") if path.stem not in NO_ROWS]


def read(path: Path) -> dict[str, str]:
    """Read a file of flags; flags without a value have an empty one."""
    lines = [line for line in path.read_text().splitlines() if line[0] != "#"]
    return {line.split()[0]: "".join(line.split(maxsplit=1)[1:]) for line in lines}


def test_every_row_is_there() -> None:
    found = {path.name: {row.stem for row in rows(path)} for path in EXPERIMENTS}
    assert found == {
        "acl_titles": SMALL_ROWS | PUBLISHED,
        "gigaword": TABLE_3 | {f"{row}_published" for row in TABLE_3 - {"lookup"}},
        "reuters_headlines": SMALL_ROWS | PUBLISHED | STARTS,
    }


@pytest.mark.parametrize(
    "row",
    [row for experiment in EXPERIMENTS for row in rows(experiment)],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_row(row: Path) -> None:
    experiment = row.parent.name
    flags = {**read(row.parent / "recipe.flags"), **read(row)}
    header = " ".join(row.read_text().split("\n--")[0].split("\n# "))
    assert f"Run: bash scripts/reproduce.sh {experiment} --rows {row.stem}" in header
    method = row.stem.split("_")[0]
    arch = flags["--arch"].removesuffix("_published")
    assert arch == f"transformer_{method}_{experiment}"
    assert "--share-all-embeddings" in flags
    controls = {flag for flag in flags if flag.startswith("--length-")}
    task = "translation_with_length" if controls else "translation"
    assert flags["--task"] == task
    assert controls == {
        "lookup_lrpe": {"--length-lrpe"},
        "lookup_ldpe": {"--length-ldpe"},
        "lookup_no_control": set(),
    }.get(row.stem, {"--length-lrpe", "--length-ordinary"})
    vocabulary, dim = SIZES.get(experiment, (0, 512))
    values = vocabulary * dim
    if method == "alone":
        assert flags["--alone-filter"] in row.stem
        inner, base = int(flags["--alone-inter-dim"]), int(flags["--alone-base-dim"])
        own = int(flags.get("--alone-own-dim", 0))
        values = base + inner * (base + dim) + own * (vocabulary + dim)
        if experiment == "gigaword":
            assert row.stem.removesuffix("_published").endswith(f"_{inner}")
        else:
            share = values / (vocabulary * dim)
            most = 0.5 if "half" in row.stem else 0.125
            assert 0.98 * most < share <= most
            assert f"{round(100 * share)} % of look-up" in header
    for stated in re.findall(r"([\d,]+) values", header):
        assert int(stated.replace(",", "")) == values


def parse(config: Path, monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    """Parse what scripts/train.sh would run, as fairseq does."""
    from fairseq import options

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        cli.main(["train-row", str(config), "--dry-run"])
    # fairseq looks for --user-dir, given from the project's folder, in sys.argv too.
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["fairseq-train"])
    words = shlex.split(printed.getvalue())
    words = words[words.index("fairseq-train") + 1 :]
    args: argparse.Namespace = options.parse_args_and_arch(
        options.get_training_parser(), words
    )
    return args


@pytest.mark.parametrize("name", sorted(STARTS))
def test_another_start_is_all_that_differs(name: str) -> None:
    folder = ROOT / "configs/reuters_headlines"
    published = f"{name.removesuffix('_lookup_scale')}_published"
    usual = read(folder / f"{published}.flags")
    assert read(folder / f"{name}.flags") == {
        **usual,
        "--alone-initial-scale": "lookup",
    }


@pytest.mark.usefixtures("plugin")
def test_gigaword_is_the_published_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROOT / "configs/gigaword/alone_binary_1024_published.flags"
    args = parse(row, monkeypatch)
    assert args.max_tokens * args.update_freq[0] == 229_376
    assert (args.max_epoch, args.lr, args.dropout) == (100, [0.001], 0.3)
    assert (args.warmup_updates, args.warmup_init_lr) == (4000, 1e-7)
    assert (args.clip_norm, args.label_smoothing) == (1.0, 0.1)
    assert args.adam_betas == "(0.9, 0.98)"
    assert args.lr_scheduler == "inverse_sqrt"
    assert (args.alone_relu_dropout, args.alone_relu_dropout_updates) == (0.5, 500)
    assert args.encoder_layers == args.decoder_layers == 6
    assert args.encoder_embed_dim == args.decoder_embed_dim == 512
    assert args.alone_inter_dim == 1024
    assert args.length_lrpe
    assert args.length_ordinary
    generation = read(ROOT / "configs/gigaword/generate.flags")
    headlines = read(ROOT / "configs/gigaword/headlines.flags")
    assert (generation["--beam"], generation["--nbest"]) == ("20", "20")
    assert headlines["--desired-lengths"] == "75"


@pytest.mark.usefixtures("plugin")
def test_small_sets_are_transformer_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    config = ROOT / "configs/reuters_headlines/lookup_no_control.flags"
    args = parse(config, monkeypatch)
    assert args.task == "translation"
    assert args.encoder_layers == args.decoder_layers == 4
    assert args.encoder_embed_dim == args.decoder_embed_dim == 128
