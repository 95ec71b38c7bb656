"""What operations make, for tests of how much work something does."""

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class MadeTensors(TorchDispatchMode):
    """Inside ``with``, notes each operation of torch and how many values it makes.

    Attributes:
        found: Name of an operation, such as ``aten.tanh.default``, and the number of
            values of a tensor that it made, in their order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, int]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        every = made if isinstance(made, tuple | list) else [made]
        name = str(func)
        self.found += [(name, x.numel()) for x in every if isinstance(x, Tensor)]
        return made

    def count(self, operation: str, values: int) -> int:
        """Count the tensors of so many values that an operation made so far."""
        return self.found.count((operation, values))
