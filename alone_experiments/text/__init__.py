"""Text as models read and write it: subword units, target characters, digits."""
