"""configs/: every file is read, and every row has the size that its header states."""

import argparse
import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from alone_experiments import cli

ROOT = Path(__file__).resolve().parent.parent.parent
ROWS = sorted(
    path
    for path in (ROOT / "configs").glob("*/*.flags")
    if path.stem not in ("recipe", "average", "generate", "score")
    # Those of headlines: test_headline_configs.py.
    and not (path.parent / "headlines.flags").exists()
)
# Entries of the dictionary that data-prep/<experiment>.sh makes, and D.
SIZES = {
    "learning": (9800, 128),
    "multi30k": (9800, 128),
    "multi30k_codes": (9800, 128),
    "multi30k_cpu": (9800, 128),
    "multi30k_long": (9800, 128),
    "multi30k_vectors": (9800, 300),
    "output_layers": (9800, 128),
    "output_layers_lstm": (9800, 128),
    "output_layers_lstm_tatoeba": (10072, 128),
    "output_layers_tatoeba": (10072, 128),
    "tatoeba_en_de": (10072, 128),
    "toy": (3512, 128),
    "wmt16_en_de": (32768, 512),
}
# Recipes for GPUs, and one whose records are older than the loss in chunks.
WITH_FAIRSEQS_LOSS = ("multi30k", "multi30k_vectors", "wmt16_en_de", "gigaword")
# Where ConvS2S, which has no such flags, is a row too.
PRE_NORM = ("encoder-normalize-before", "decoder-normalize-before")
TABLE_2 = [
    *("lookup", "random", "convs2s", "low_rank_{large}", "low_rank_{small}"),
    *("alone_binary_{large}", "alone_binary_{small}"),
    *("alone_real_{large}", "alone_real_{small}"),
    *("alone_binary_{large}_frozen", "alone_binary_{small}_frozen"),
    *("alone_real_{large}_frozen", "alone_real_{small}_frozen"),
]


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def parse(config: Path, monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    """Parse what scripts/train.sh would run, as fairseq does."""
    from fairseq import options

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        cli.main(["train-row", str(config), "--dry-run"])
    # fairseq looks for --user-dir, given from the project's folder, in sys.argv too.
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["fairseq-train"])
    parser = options.get_training_parser()
    words = shlex.split(printed.getvalue())[1:]
    args: argparse.Namespace = options.parse_args_and_arch(parser, words)
    return args


def parse_row(config: Path) -> argparse.Namespace:
    """Parse the flags of a row: its embeddings, and how it is trained."""
    from alone_fairseq.embeddings import CONFIGS, add_flags
    from alone_fairseq.output import layer_configs

    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--arch", required=True)
    for flag in ("share-all-embeddings", "sampled-log-q", *PRE_NORM):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--embedding-init", "--alone-init")
    parser.add_argument("--finetune-from-model")
    parser.add_argument(
        "--optimizer", choices=["adam_muon", "adam_soap", "adam_shared_moment"]
    )
    for flag in (
        "--softmax-bias",
        "--muon-lr-factor",
        "--muon-momentum",
        "--soap-lr-factor",
        "--muon-for",
        "--dropout",
        "--lr",
        "--warmup-updates",
    ):
        parser.add_argument(flag)
    for flag in ("--output-layer", "--criterion", "--sampled-words"):
        parser.add_argument(flag)
    for options in (*layer_configs(), *CONFIGS.values()):
        add_flags(parser, options)
    return parser.parse_args(
        [word for flag in flags_in(config) for word in flag.split()]
    )


def flags_in(config: Path) -> list[str]:
    return [line for line in config.read_text().splitlines() if line[0] == "-"]


def values(args: argparse.Namespace, vocabulary: int, dim: int) -> int:
    """Compute the trained values by the formulas of the methods."""
    method = re.sub("^(transformer|lstm)_", "", args.arch)
    if method.startswith("lookup"):
        return vocabulary * dim
    if method.startswith("low_rank"):
        return int(args.low_rank_dim * (vocabulary + dim))
    if method.startswith("alone"):
        base = args.alone_base_dim
        network = args.alone_inter_dim * (base + dim)
        own = args.alone_own_dim * (vocabulary + dim)
        return int(network + own + (0 if args.alone_freeze_base else base))
    if method.startswith("codes"):
        return int(args.codes_num_codebooks * args.codes_codebook_size * dim)
    if method.startswith("hashed"):
        return int(args.hashed_buckets * dim + args.hashed_num_hashes * vocabulary)
    if method.startswith("define"):
        # Groups 4, 2, 1 and 1; each layer but the first reads n filled up to 4m, too.
        own = args.define_input_dim
        raw = -(-own // 4) * 4
        made = [-(-(own * (4 - i) + dim * i) // 4) for i in range(1, 5)]
        made = [-(-x // m) * m for x, m in zip(made, (4, 2, 1, 1), strict=True)]
        read = [raw, *(raw + x for x in made[:-1])]
        layers = sum(
            r * m // g + m + 2 * m // g
            for r, m, g in zip(read, made, (4, 2, 1, 1), strict=True)
        )
        return int(vocabulary * own + layers + dim * (made[-1] + 1))
    if method.startswith("characters"):
        # 81 characters in two or more entries of Multi30k's dictionary, with one for
        # the others.
        size = args.characters_dim
        highway = args.characters_highway * dim * (dim + 1)
        network = 8 * (2 * size**2 + size) + dim * (2 * size + 1)
        return int(81 * size + network + highway)
    if method.startswith("deep_hash"):
        hashes, inner = args.deep_hash_num_hashes, args.deep_hash_inter_dim
        return int(inner * (hashes + inner + 6) + dim * (inner + 1))
    assert method.startswith("random")
    return 0


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("config", ROWS, ids=name_of)
def test_row(config: Path) -> None:
    args = parse_row(config)
    text = config.read_text()
    experiment = config.parent.name
    command = f"\n# Run: bash scripts/reproduce.sh {experiment} --rows {config.stem}\n"
    assert command in text
    if config.stem == "convs2s":
        assert args.arch.startswith("fconv_")
        return
    size = re.sub("_(vectors|cpu|codes|long)$", "", experiment.replace("wmt16", "wmt"))
    size = re.sub("^output_layers.*_tatoeba$", "tatoeba_en_de", size)
    size = re.sub("^(learning|output_layers.*)$", "multi30k", size)
    assert args.arch.removesuffix("_published").endswith(f"_{size}")
    start = args.embedding_init or args.finetune_from_model or ""
    from_vectors = config.stem.endswith("_from_vectors")
    assert start.startswith("DATA/" if from_vectors else "")
    assert start.startswith("RUN/start") == ("\n# Starts from " in text)
    assert bool(start) == (from_vectors or "\n# Starts from " in text)
    vocabulary, dim = SIZES[experiment]
    count = values(args, vocabulary, dim)
    share = count / (vocabulary * dim)
    header = text.split("\n--")[0]
    for stated in re.findall(r"([\d,]+)\s+values", header):
        assert int(stated.replace(",", "")) == count
    for stated in re.findall(r"(\d+) % of look-up", header):
        assert int(stated) == round(100 * share)
    for size, most in (("half", 0.51), ("quarter", 0.26), ("eighth", 0.13)):
        if size in config.stem:
            assert 0.95 * most < share <= most
    if config.stem.startswith("alone"):
        assert args.alone_filter in config.stem
        assert args.alone_freeze_base == config.stem.endswith("_frozen")


@pytest.mark.parametrize(
    ("experiment", "small"),
    [
        ("wmt16_en_de", "quarter"),
        ("multi30k", "eighth"),
        ("multi30k_cpu", "eighth"),
        ("tatoeba_en_de", "eighth"),
    ],
)
def test_every_row_of_table_2_is_there(experiment: str, small: str) -> None:
    folder = ROOT / "configs" / experiment
    names = {path.stem for path in ROWS if path.parent == folder}
    # Where the better recipe has a row, the paper's has the longer name.
    ours = {row for row in names if f"{row}_published" in names}
    rows = {row.removesuffix("_published") for row in names - ours}
    table = {row.format(large="half", small=small) for row in TABLE_2}
    assert table <= rows
    learning = {row for row in rows if row.endswith("_levers")}
    starts = {row for row in rows if row.endswith("_lookup_scale")}
    for row in starts - table - learning:
        plain = row.removesuffix("_lookup_scale")
        file = folder / f"{plain}{'_published' if plain in ours else ''}.flags"
        usual = flags_in(file)
        started = flags_in(folder / f"{row}.flags")
        assert started == [*usual, "--alone-initial-scale lookup"]


LEARNS = {
    "--alone-centre",
    "--alone-initial-scale lookup_layer",
    "--softmax-bias unigram",
    "--optimizer adam_muon",
}
ALL_ROWS = [*(ROOT / "configs").glob("*/alone_*.flags")]


def test_rows_of_alone_learn_and_others_are_as_published() -> None:
    plain = "alone_(real|binary)(_half|_quarter|_eighth|_512|_1024)?"
    ours = [path for path in ALL_ROWS if re.fullmatch(plain, path.stem)]
    published = [path for path in ALL_ROWS if "_published" in path.stem]
    for path in ours:
        assert {*flags_in(path)} >= LEARNS, path
    assert min(len(ours), len(published)) > 20
    for path in published:
        assert not {*flags_in(path)} & LEARNS, path
        (arch,) = (flag for flag in flags_in(path) if flag.startswith("--arch "))
        assert arch.endswith("_published"), path


def test_rows_for_a_cpu_are_those_for_a_gpu() -> None:
    """But for the place of normalisation, and the end of the ReLU dropout.

    The latter follows the warm-up.
    """
    first = [f"--{flag}" for flag in PRE_NORM]
    folders = [ROOT / "configs" / name for name in ("multi30k", "multi30k_cpu")]
    for path in ROWS:
        if path.parent == folders[0]:
            cpu = flags_in(folders[1] / path.name)
            expected = [] if path.stem == "convs2s" else first
            assert [flag for flag in cpu if flag in first] == expected
            cpu = [flag for flag in cpu if flag not in first]
            assert [flag.replace(" 2250", " 225") for flag in flags_in(path)] == cpu


def test_rows_of_the_long_recipe_are_those_of_the_short_one() -> None:
    rows = [path for path in ROWS if path.parent.name == "multi30k_long"]
    assert len(rows) == 4
    for path in rows:
        short = ROOT / "configs/multi30k_cpu" / path.name
        assert flags_in(path) == flags_in(short)


def test_rows_from_vectors_differ_in_that_only() -> None:
    folder = ROOT / "configs/multi30k_vectors"
    for row in ("lookup", "alone_real_half_published"):
        plain, started = (
            flags_in(folder / name)
            for name in (f"{row}.flags", f"{row}_from_vectors.flags")
        )
        assert started[:-1] == plain
        start = row.removesuffix("_published")
        assert started[-1].split()[1] == f"DATA/{start}.pt"


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    "config",
    [path for path in ROWS if path.stem in ("lookup", "convs2s")],
    ids=name_of,
)
def test_fairseq_reads_recipe_and_row(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = parse(config, monkeypatch)
    if config.stem == "convs2s":  # fairseq's own, which the chunked loss refuses
        assert args.criterion == "label_smoothed_cross_entropy"
        assert not hasattr(args, "embedding_method")
    else:
        chunked = "" if config.parent.name in WITH_FAIRSEQS_LOSS else "chunked_"
        assert args.criterion == f"{chunked}label_smoothed_cross_entropy"
        assert args.share_all_embeddings
        assert args.encoder_embed_dim == SIZES[config.parent.name][1]


def test_multi30k_is_transformer_tiny(
    monkeypatch: pytest.MonkeyPatch, plugin: None
) -> None:
    del plugin
    args = parse(ROOT / "configs/multi30k/lookup.flags", monkeypatch)
    for side in ("encoder", "decoder"):
        assert getattr(args, f"{side}_layers") == 4
        assert getattr(args, f"{side}_embed_dim") == 128
        assert getattr(args, f"{side}_ffn_embed_dim") == 256
        assert getattr(args, f"{side}_attention_heads") == 4
    assert (args.dropout, args.lr, args.warmup_updates) == (0.3, [0.005], 2000)
    assert (args.max_tokens, args.max_update) == (4096, 8000)


def test_wmt_is_the_papers_recipe(
    monkeypatch: pytest.MonkeyPatch, plugin: None
) -> None:
    del plugin
    folder = ROOT / "configs/wmt16_en_de"
    args = parse(folder / "alone_binary_half_published.flags", monkeypatch)
    assert args.max_tokens * args.update_freq[0] == 458_752
    assert (args.max_update, args.lr, args.dropout) == (100_000, [0.0015], 0.2)
    assert (args.warmup_updates, args.warmup_init_lr) == (4000, 1e-7)
    assert (args.clip_norm, args.label_smoothing) == (1.0, 0.1)
    assert args.adam_betas == "(0.9, 0.98)"
    assert args.lr_scheduler == "inverse_sqrt"
    assert (args.alone_relu_dropout, args.alone_relu_dropout_updates) == (0.15, 4500)
    assert args.encoder_layers == args.decoder_layers == 6
    real = parse_row(folder / "alone_real_half_published.flags")
    assert (real.alone_relu_dropout, real.alone_relu_dropout_updates) == (0.2, 4500)


def test_output_layers_are_the_same_on_both_corpora() -> None:
    """But for the preset's name and ALONE's inner size, half of another table."""
    for name in ("output_layers", "output_layers_lstm"):
        folder, other = ROOT / "configs" / name, ROOT / "configs" / f"{name}_tatoeba"
        files = sorted(path.name for path in other.glob("*.flags"))
        rows = [path.name for path in folder.glob("*.flags")]
        # One row has no other use than to show what its words' neighbours are.
        both = [r for r in rows if "_sampled_" not in r and "_shared" not in r]
        assert files == sorted(both)
        for file in files:
            there = [
                flag.replace("_tatoeba_en_de", "_multi30k").replace(" 496", " 482")
                for flag in flags_in(other / file)
            ]
            assert there == flags_in(folder / file)
