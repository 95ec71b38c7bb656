"""fairseq's other models with compact embeddings, in sizes for tests."""

BOTH = """
--source-lang a --target-lang b --share-all-embeddings
--encoder-embed-dim 32 --decoder-embed-dim 32 --decoder-out-embed-dim 32
"""
MODELS = {
    "lstm": f"--arch lstm_alone_toy_published {BOTH} --encoder-hidden-size 32"
    " --decoder-hidden-size 32 --lr 0.01",
    "fconv": f"--arch fconv_alone_toy_published {BOTH} --encoder-layers [(32,3)]"
    " --decoder-layers [(32,3)] --lr 0.003",
    "lm": "--arch transformer_lm_alone_toy_published --task language_modeling"
    " --decoder-layers 1 --decoder-embed-dim 32 --decoder-ffn-embed-dim 64"
    " --tokens-per-sample 20 --sample-break-mode eos"
    " --share-decoder-input-output-embed --lr 0.005",
}
"""Flags that choose each of them, tied."""

COMMON = """
--alone-inter-dim 64 --alone-relu-dropout 0 --dropout 0 --optimizer adam
--lr-scheduler inverse_sqrt --warmup-updates 20 --clip-norm 1.0
--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --max-tokens 1000
--update-epoch-batch-itr True --cpu --no-progress-bar --log-format json
--num-workers 0 --seed 3
"""


def flags_of(model: str) -> list[str]:
    """Give the flags of a model, without a data folder."""
    return f"{COMMON} {MODELS[model]}".split()
