"""The parts of `ordo.dask`.

Nothing here imports Dask at the top of a file, so that the files can be read without it.
"""
