"""Operators of PyTorch: ``import ordo.torch`` registers ``torch.ops.ordo``."""
import os
import torch
from . import _lib
torch.ops.load_library(os.path.join(os.path.dirname(_lib.path), "libordo_torch.so"))
