"""The source files of a paper's algorithms and a hash of them, to see whether a result is older.

The map at the top of lib/papers/NAME/NAME.h names the files. The map itself does not count.
Comments and spaces do not count either: they change no time.
"""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = re.compile(r"[A-Za-z0-9_/.-]+\.(?:cuh|cu|c|h)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def files_of(paper, root=ROOT):
    """The files that the map names, in the folder of the paper or in lib/."""
    folder = root / "lib" / "papers" / paper
    own = folder / f"{paper}.h"
    words = own.read_text(encoding="utf-8").split("*/", 1)[0]
    found = set()
    for name in FILE.findall(words):
        for place in (folder / name, root / "lib" / name, root / name):
            if place.is_file() and place != own:
                found.add(place)
                break
    return sorted(found)


def kernels_of(paper, root=ROOT):
    """The hash, as 16 hexadecimal digits; "" if there is no map."""
    if not (root / "lib" / "papers" / paper / f"{paper}.h").is_file():
        return ""
    digest = hashlib.sha256()
    for path in files_of(paper, root):
        code = COMMENT.sub(" ", path.read_text(encoding="utf-8"))
        words = f"{path.relative_to(root).as_posix()}\n{' '.join(code.split())}\n"
        digest.update(words.encode("utf-8"))
    return digest.hexdigest()[:16]
