"""Options of ALONE."""

from dataclasses import dataclass

from fairseq.dataclass import FairseqDataclass

from .options import option, require


@dataclass
class AloneConfig(FairseqDataclass):
    """Options of ALONE, with the symbols of Takase and Kobayashi (2020)."""

    alone_filter: str = option(
        "real",
        "filter vectors f: 'binary' (codebook rows combined by OR) or 'real' (Gaussian "
        "rows, summed)",
    )
    alone_base_dim: int = option(
        0, "size of the one trained vector o, D_o; 0 means the embedding size D"
    )
    alone_inter_dim: int = option(
        4096, "inner size of the feed-forward network, D_inter"
    )
    alone_num_layers: int = option(
        2,
        "linear layers of the feed-forward network; 2 is the paper's W2 relu(W1 x), "
        "1 a single D x D_o map",
    )
    alone_num_codebooks: int = option(8, "number of codebooks (source matrices), M")
    alone_codebook_size: int = option(64, "rows of a codebook, c")
    alone_zero_prob: float = option(
        0.5, "probability p_o of a 0 in a binary filter, between 0 and 1"
    )
    alone_filter_std: float = option(
        1.0,
        "standard deviation of the entries of a real filter f; codebook entries have "
        "std / sqrt(M)",
    )
    alone_relu_dropout: float = option(
        0.1,
        "dropout after each ReLU, on input look-ups only, never on the softmax side",
    )
    alone_relu_dropout_updates: int = option(
        0,
        "use --alone-relu-dropout while fewer updates are done; 0 means always",
    )
    alone_freeze_base: bool = option(
        False, "leave o at its random initial value (the paper's 'Fix o')"
    )
    alone_keep_inner: bool = option(
        False,
        "keep the table's inner vectors for the backward pass, V x D_inter values of "
        "memory, instead of computing them twice; faster if filters are binary",
    )
    alone_initial_scale: str = option(
        "published",
        "initial size of the vectors: 'published', with binary filters some five times "
        "that of a look-up table's, or 'lookup', the same as its, D^-0.5",
    )
    alone_seed: int = option(1, "seed from which all filters f follow")


def check(config: AloneConfig) -> None:
    """Refuse options that are out of range.

    Args:
        config: The options.

    Raises:
        AloneError: On the first that is wrong, in one line with the flag.
    """
    require(
        config.alone_filter in ("binary", "real"),
        f"--alone-filter must be 'binary' or 'real', not '{config.alone_filter}'",
    )
    require(
        config.alone_initial_scale in ("published", "lookup"),
        "--alone-initial-scale must be 'published' or 'lookup', not"
        f" '{config.alone_initial_scale}'",
    )
    for flag in ("inter_dim", "num_layers", "num_codebooks", "codebook_size"):
        value = getattr(config, f"alone_{flag}")
        name = flag.replace("_", "-")
        require(value >= 1, f"--alone-{name} must be at least 1, not {value}")
    for flag in ("base_dim", "relu_dropout_updates"):
        value = getattr(config, f"alone_{flag}")
        name = flag.replace("_", "-")
        require(value >= 0, f"--alone-{name} must not be negative, it is {value}")
    require(
        0.0 < config.alone_zero_prob < 1.0,
        f"--alone-zero-prob must lie between 0 and 1, not {config.alone_zero_prob}",
    )
    require(
        0.0 < config.alone_filter_std <= 1e6,
        f"--alone-filter-std must lie in (0, 1e6], it is {config.alone_filter_std}",
    )
    require(
        0.0 <= config.alone_relu_dropout < 1.0,
        f"--alone-relu-dropout must lie in [0, 1), it is {config.alone_relu_dropout}",
    )
    require(
        0 <= config.alone_seed < 2**32,
        f"--alone-seed must lie in [0, 2^32), it is {config.alone_seed}",
    )
