"""Columns of other libraries: Arrow, pandas and polars."""
