"""The kinds of jobs, by name."""

from collections.abc import Callable

from .code_scores import scores, scores_training
from .decoding import decoding
from .embedding_jobs import input_step, sizes, table_forward, table_training
from .fairseq_commands import whole_generation, whole_training
from .job import Job
from .matrix_rate import matrix_rate
from .training_step import training_step

KINDS: dict[str, Callable[[Job], dict[str, float]]] = {
    function.__name__: function
    for function in (
        matrix_rate,
        table_forward,
        table_training,
        input_step,
        sizes,
        training_step,
        whole_training,
        whole_generation,
        decoding,
        scores,
        scores_training,
    )
}
