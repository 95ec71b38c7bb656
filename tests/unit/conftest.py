"""What these tests share."""

from tests.unit.made_up_method import made_up  # noqa: F401 (a fixture)
