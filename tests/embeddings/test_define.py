"""DeFINE: its formula in both forms, its groups, the sizes of the published example."""

from argparse import Namespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from alone_experiments.params import method_footprint
from alone_fairseq.embeddings import TableSize
from alone_fairseq.embeddings.define import (
    DefineConfig,
    DefineEmbedding,
    groups_of,
    layer_sizes,
)
from alone_fairseq.embeddings.tables import slices
from alone_fairseq.errors import AloneError

V, D, PAD = 31, 12, 1


def make(**options: Any) -> DefineEmbedding:
    torch.manual_seed(0)
    return DefineEmbedding(V, D, PAD, **{f"define_{k}": v for k, v in options.items()})


def block_matrix(parts: Any) -> tuple[Tensor, Tensor]:
    """A group layer's matrix as one with zeros outside its blocks, and its bias."""
    matrices = [part.weight.double() for part in parts]
    biases = [part.bias.double() for part in parts]
    return torch.block_diag(*matrices), torch.cat(biases)


def normalised(values: Tensor, groups: int, norm: Any) -> Tensor:
    """Swish of each group, normalised, with the gains and biases of ``norm``."""
    parts = []
    for part in values.view(groups, -1):
        away = part - part.mean()
        scaled = away / (away.square().mean() + 1e-5).sqrt()
        scaled = scaled * norm.weight.double() + norm.bias.double()
        parts.append(scaled * torch.sigmoid(scaled))
    return torch.cat(parts)


def interleaved(raw: Tensor, values: Tensor, groups: int) -> Tensor:
    both = zip(raw.view(groups, -1), values.view(groups, -1), strict=True)
    return torch.cat([torch.cat(pair) for pair in both])


def dense(embedding: DefineEmbedding) -> Tensor:
    """The table word by word, in double precision."""
    form, groups = embedding.config.define_form, embedding.groups
    found = []
    for own in embedding.narrow.double():
        raw = own * len(own) ** 0.5
        first = embedding.layers[0].parts[0].weight.size(1) * groups[0]  # type: ignore[union-attr, index, operator]
        if form == "paper":
            raw = F.pad(raw, (0, first - len(raw)))
        else:
            linear, norm, _ = embedding.entry  # type: ignore[misc]
            raw = normalised(linear.double()(raw), 1, norm)
        values = raw
        for layer, group in zip(embedding.layers, groups, strict=True):
            matrix, bias = block_matrix(layer.parts)
            if layer is not embedding.layers[0]:
                values = interleaved(raw, values, group)
            values = normalised(matrix @ values + bias, group, layer.norm)
        if form == "paper":
            last = embedding.exit
            found.append(last.weight.double() @ values + last.bias.double())  # type: ignore[operator, union-attr]
        else:
            linear, norm, _ = embedding.exit  # type: ignore[misc]
            made = linear.double()(torch.cat([raw, values]))
            found.append(normalised(made, 1, norm) * D**-0.5)
    return torch.stack(found)


@pytest.mark.parametrize(
    "options",
    [
        {"input_dim": 5, "max_groups": 6, "num_layers": 3},
        {"input_dim": 8, "max_groups": 4, "expanded_dim": 20},
        {"input_dim": 7, "num_layers": 1},
        {"input_dim": 5, "max_groups": 4, "form": "program"},
        {"input_dim": 6, "max_groups": 2, "form": "program", "num_layers": 3},
    ],
)
def test_values_and_gradients_are_those_of_the_formula(options: dict[str, Any]) -> None:
    embedding = make(**options).double()
    trained = [*embedding.parameters()]
    with torch.no_grad():  # gains and biases start where they change nothing
        for parameter in trained:
            if parameter.dim() == 1:
                parameter += torch.randn_like(parameter)
    weights = torch.randn(V, D, dtype=torch.float64)
    table, mine = dense(embedding), embedding.table()
    torch.testing.assert_close(mine, table)
    slopes = [torch.autograd.grad((t * weights).sum(), trained) for t in (mine, table)]
    torch.testing.assert_close(*slopes)


def test_sizes_of_the_published_example() -> None:
    """V = 37,000, n = 128, D = 512, four layers with 8, 4, 2 and 1 groups."""
    options = Namespace(define_form="program", define_input_dim=128)
    with torch.device("meta"):
        made = DefineEmbedding(37_000, 512, **vars(options))
    assert made.groups == [8, 4, 2, 1]

    def values(module: Any) -> int:
        named = module.named_parameters()
        return sum(p.numel() for name, p in named if "norm" not in name)

    assert values(made.layers) == 369_920
    dense_layers = sum(values(layer[0]) for layer in (made.entry, made.exit))  # type: ignore[index]
    assert values(made.layers) + dense_layers == 796_672
    gains = 2 * (256 + 512) + 2 * (256 // 8 + 256 // 4 + 256 // 2 + 512)
    size = method_footprint("define", options, [TableSize(37_000, 512)])
    assert size.trained_values == 37_000 * 128 + 796_672 + gains


def test_groups_of_both_forms() -> None:
    def groups(layers: int, most: int, form: str, dim: int = 512) -> list[int]:
        config = DefineConfig(
            define_num_layers=layers, define_max_groups=most, define_form=form
        )
        return groups_of(config, dim)

    assert groups(4, 16, "paper") == [16, 8, 4, 2]
    assert groups(7, 4, "paper") == [4, 2, 1, 1, 1, 1, 1]
    assert groups(3, 5, "paper") == [5, 2, 1]
    assert groups(4, 16, "program") == groups(4, 0, "program") == [8, 4, 2, 1]
    assert groups(7, 4, "program") == [1, 4, 2, 1, 4, 2, 1]
    assert groups(2, 0, "paper", dim=8) == [1, 1]
    assert groups(2, 0, "paper", dim=10**12) == [64, 32]


@pytest.mark.parametrize("form", ["paper", "program"])
@pytest.mark.parametrize("most", [1, 3, 5, 6, 7, 12, 100])
@pytest.mark.parametrize("own", [1, 5, 64])
def test_groups_that_do_not_divide_get_room(own: int, most: int, form: str) -> None:
    config = DefineConfig(
        define_input_dim=own, define_max_groups=most, define_form=form
    )
    groups = groups_of(config, 30)
    raw, made = layer_sizes(config, groups, 30)
    assert raw >= (own if form == "paper" else 15)
    read = [raw, *(raw + size for size in made[:-1])]
    for size_in, size_out, group in zip(read, made, groups, strict=True):
        assert raw % group == size_in % group == size_out % group == 0
        assert size_out >= 2 * group  # one value, normalised, would always be 0


def test_halves_that_divide_only_huge_layers_are_refused() -> None:
    with pytest.raises(
        AloneError, match="multiples of 9,765: take a power of two"
    ) as e:
        make(max_groups=63)
    assert "--define-max-groups 63" in str(e.value)
    assert make(max_groups=1024, num_layers=2).groups == [1024, 512]


def test_sizes_grow_evenly() -> None:
    config = DefineConfig(define_input_dim=128, define_expanded_dim=1024)
    assert layer_sizes(config, [1, 1, 1, 1], 512) == (128, [352, 576, 800, 1024])


def test_normalised_vectors_have_two_values_or_more() -> None:
    """Of one value normalisation leaves 0, in whichever layer."""
    options = {"define_form": "program", "define_input_dim": 1}
    with pytest.raises(AloneError, match="take 2 values"):
        DefineEmbedding(V, 1, PAD, **options)
    for dim in (2, 3):
        assert DefineEmbedding(V, dim, PAD, **options).table().count_nonzero() > V


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"input_dim": 6}, "--define-input-dim=5"),
        ({"form": "program"}, "--define-form=paper"),
        ({"max_groups": 4}, "has --define-max-groups=1; .* --define-max-groups=4:"),
        (
            {"num_layers": 2},
            "has --define-num-layers=4; the model has --define-num-layers=2:",
        ),
        ({"expanded_dim": 20}, "--define-expanded-dim=0"),
    ],
)
def test_other_options_are_refused(changes: dict[str, Any], words: str) -> None:
    state = make(input_dim=5).state_dict()
    with pytest.raises(AloneError, match=words):
        make(**{"input_dim": 5, **changes}).load_state_dict(state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("input_dim", 0),
        ("num_layers", 0),
        ("max_groups", -1),
        ("max_groups", 1025),
        ("form", "both"),
    ],
)
def test_options_out_of_range(name: str, value: object) -> None:
    with pytest.raises(AloneError, match=f"--define-{name.replace('_', '-')} must"):
        make(**{name: value})


@pytest.mark.parametrize("form", ["paper", "program"])
def test_memory_of_the_table_is_bounded(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word takes about as much as the slices suppose, and slices are so small."""
    embedding = make(form=form, input_dim=5, max_groups=4, num_layers=3)
    kept: dict[int, int] = {}

    def keep(values: Tensor) -> Tensor:
        if values.size(0) == V:  # else a layer's own
            storage = values.untyped_storage()
            kept[storage.data_ptr()] = storage.nbytes() // 4
        return values

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda values: values):
        expected = embedding.rows(torch.arange(V))
    assert embedding.widest / 3 < sum(kept.values()) / V <= embedding.widest
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", 4 * embedding.widest)
    read: list[int] = []
    embedding.entry.register_forward_hook(
        lambda _, given, __: read.append(len(given[0]))
    )
    torch.testing.assert_close(embedding.table(), expected)
    assert max(read) == 4
