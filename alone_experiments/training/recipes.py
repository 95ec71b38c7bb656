"""Recipes for corpora of a user's: folders of flag files in ``configs/recipes``."""

from __future__ import annotations

from collections.abc import Sequence

from alone_experiments.mistakes import Mistake
from alone_experiments.repository import folder_of_checkout, user_dir
from alone_experiments.training.experiment import (
    RECIPES,
    Row,
    find_row,
    last_values,
    rows_of,
)

FLAG = "--recipe"
METHOD = "alone"
"""The row of a recipe that is meant where none is named."""

_CHOICES = ("--arch", "--optimizer", "--lr-scheduler", "--criterion", "--task")
"""Flags of fairseq-train whose values have flags of their own."""


def recipes() -> list[str]:
    """Name the recipes."""
    folder = folder_of_checkout("configs") / RECIPES
    return sorted(file.parent.name for file in folder.glob("*/recipe.flags"))


def rows_of_recipe(recipe: str, names: Sequence[str]) -> list[Row]:
    """Find rows of a recipe.

    Args:
        recipe: Its name.
        names: Names of its rows.

    Returns:
        The rows.

    Raises:
        Mistake: If there is no such recipe or row.
    """
    if recipe not in recipes():
        raise Mistake(
            f"{FLAG}: no recipe {recipe or 'without a name'}; there are:"
            f" {' '.join(recipes())}"
        )
    folder = folder_of_checkout("configs") / RECIPES / recipe
    known = rows_of(folder)
    if unknown := [name for name in names if name not in known]:
        raise Mistake(
            f"recipe {recipe} has no row {', '.join(unknown)}; there are:"
            f" {' '.join(known)}"
        )
    return [find_row(folder / f"{name}.flags") for name in names]


def with_recipe(words: Sequence[str]) -> list[str]:
    """Put the flags of a recipe in the place of its name.

    Args:
        words: Arguments of fairseq-train, perhaps with ``--recipe NAME`` for the row
            ``alone`` of a recipe, or ``--recipe NAME/ROW``.

    Returns:
        Arguments that fairseq-train knows. The recipe's come first, so that flags with
        a value that stand on the command line win; without those that belong to an
        architecture, optimiser, schedule or loss in whose place another one is given.

    Raises:
        Mistake: If there is no such recipe.
    """
    rest, named = [], None
    given = iter(words)
    for word in given:
        flag, equals, value = word.partition("=")
        if flag == FLAG:
            named = value if equals else next(given, "")
        else:
            rest.append(word)
    if named is None:
        return rest
    recipe, _, name = named.partition("/")
    (row,) = rows_of_recipe(recipe, [name or METHOD])
    return [*_that_fit([*row.recipe(), *row.flags()], rest), *rest]


def _that_fit(recipe: Sequence[str], given: Sequence[str]) -> list[str]:
    """Leave out flags of a recipe that what is chosen on the command line lacks."""
    ours, theirs = last_values(recipe), last_values(given)
    if not {*theirs} & {*_CHOICES}:
        return list(recipe)
    chosen = {**ours, **theirs}
    # What else follows a value, such as the data folder, is no part of the choice.
    made = [flag for flag in _CHOICES if flag in chosen]
    choices = [word for flag in made for word in (flag, *chosen[flag])[:2]]
    known = known_flags(choices)
    fitting = {flag: values for flag, values in ours.items() if flag in known}
    return [word for flag, values in fitting.items() for word in (flag, *values)]


def known_flags(choices: Sequence[str]) -> set[str]:
    """Ask fairseq which flags a training has.

    Args:
        choices: Flags of ``fairseq-train`` that bring others with them, with values.
    """
    from fairseq import options

    parser = options.get_training_parser()
    words = [".", "--user-dir", user_dir(), *choices]
    options.parse_args_and_arch(parser, words, parse_known=True)
    return set(parser._option_string_actions)
