"""What these tests share."""

from tests.embeddings.made_up_method import made_up  # noqa: F401 (a fixture)
