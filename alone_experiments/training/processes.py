"""How many processes train, how they share an update's batch, and what starts them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from alone_experiments.mistakes import Mistake, say
from alone_experiments.training.experiment import flag_value

WITH_RANK = ("bash", "scripts/with_rank.sh")


@dataclass(frozen=True)
class Group:
    """The processes that train together.

    Attributes:
        processes: On each machine.
        nodes: Machines.
        gpus: That each machine has; 0 for a training on CPUs.
    """

    processes: int
    nodes: int
    gpus: int

    @property
    def size(self) -> int:
        """All processes."""
        return self.processes * self.nodes

    def flags(self) -> list[str]:
        """Make the flags by which fairseq makes one group of them.

        From the environment alone fairseq makes a group on GPUs only; on CPUs each
        process would train on its own.
        """
        if self.size == 1:
            # On several GPUs fairseq would start a process on each, unasked.
            return ["--distributed-world-size", "1"] if self.gpus else []
        flags = ["--distributed-world-size", str(self.size), "--distributed-no-spawn"]
        flags += ["--distributed-init-method", "env://", "--ddp-backend", "legacy_ddp"]
        return flags if self.gpus else [*flags, "--distributed-backend", "gloo"]

    def launcher(self, node_rank: int, master: str) -> list[str]:
        """Make what stands before a command to start it once a process.

        Args:
            node_rank: Number of this machine, from 0.
            master: ``HOST:PORT`` of machine 0, of several machines.

        Returns:
            A command of torchrun; nothing for a single process.
        """
        if self.size == 1:
            return []
        address = ["--standalone"]
        if self.nodes > 1:
            host, _, port = master.rpartition(":")
            address = ["--nnodes", str(self.nodes), "--node-rank", str(node_rank)]
            address += ["--master-addr", host, "--master-port", port]
        number = ["--nproc-per-node", str(self.processes)]
        return ["torchrun", *address, *number, "--no-python", *WITH_RANK]


def share_batch(
    recipe: Sequence[str], args: argparse.Namespace, gpus: int
) -> tuple[Group, list[str]]:
    """Share an update's batch among processes.

    Args:
        recipe: Flags, of which ``--max-tokens`` and ``--update-freq`` describe what one
            process would do; their product is the batch.
        args: ``processes`` and ``max_tokens`` as the user wants them, ``None`` where
            that is open, and ``nodes``.
        gpus: GPUs of this machine.

    Returns:
        The processes, and the flags that give the recipe's batch with them.

    Raises:
        Mistake: If the batch cannot be shared so.
    """
    of_recipe = int(flag_value("--max-tokens", recipe) or 0)
    batch = of_recipe * int(flag_value("--update-freq", recipe) or 1)
    at_once = args.max_tokens or of_recipe
    if args.processes is not None and 0 < gpus < args.processes:
        raise Mistake(
            f"--processes {args.processes}, but there are {gpus} GPUs; give at most"
            f" {gpus}"
        )
    chosen = args.processes or _most_processes(batch, at_once * args.nodes, gpus)
    group = Group(chosen, args.nodes, gpus)
    if group.size == 1 and args.max_tokens is None:
        return group, []
    if batch == 0:
        raise Mistake(
            "recipe.flags says no --max-tokens, so the batch cannot be shared"
        )
    times, rest = divmod(batch, group.size * at_once)
    if rest or not times:
        raise Mistake(
            f"{group.size} processes with {at_once} tokens at once cannot give the"
            f" recipe's {batch} tokens an update; choose --processes, --nodes and"
            " --max-tokens whose product divides it"
        )
    return group, ["--max-tokens", str(at_once), "--update-freq", str(times)]


def _most_processes(batch: int, tokens_each: int, gpus: int) -> int:
    chosen = max(gpus, 1)
    while chosen > 1 and (not tokens_each or batch % (chosen * tokens_each)):
        chosen -= 1
    if chosen < gpus:
        say(
            f"using {chosen} of {gpus} GPUs: more cannot share the recipe's {batch}"
            " tokens an update evenly"
        )
    return chosen
