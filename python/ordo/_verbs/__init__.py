"""The calls of the package on numbers, a module for each kind."""
