"""The source files of a paper's algorithms and a hash of them, to see whether a result is older.

The map at the top of lib/papers/NAME/NAME.h names the files. What they include from the FOLDERS of
lib/ counts too, at any depth: files of lib/papers, templates (.t.h) and device headers (.cuh) count
whole. Other headers declare the interfaces and thresholds of all verbs, so that each new verb
changes them: of these only the functions that they define count. Comments, spaces, folders and the
names of included files change no time and do not count, nor does the map.
"""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("papers", "core", "cpu", "cuda", "hybrid", "gen")  # not backend, which has interfaces
FILE = re.compile(r"[A-Za-z0-9_/.-]+\.(?:cuh|cu|c|h)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*(?:include|define[ \t]+ORDO_(?:\w+_)?TEMPLATE)[ \t]+"([^"]+)"', re.MULTILINE
)
# A function with its body, as clang-format lays it out: it begins and ends in the first column.
FUNCTION = re.compile(r"^[A-Za-z_][^;{}#]*\)\s*\{(?:[^\n]*\}$|.*?^\})", re.MULTILINE | re.DOTALL)


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


def code_of(path):
    return COMMENT.sub(" ", path.read_text(encoding="utf-8"))


def counted(path, root):
    """The part of an included file that counts."""
    code = code_of(path)
    folder = path.relative_to(root / "lib").parts[0]
    if folder == "papers" or path.name.endswith((".t.h", ".cuh")):
        return code
    return "\n".join(FUNCTION.findall(code))


def included(path, root):
    """The files in FOLDERS that a file includes."""
    for name in INCLUDE.findall(code_of(path)):
        place = root / "lib" / name
        if name.split("/")[0] in FOLDERS and place.is_file():
            yield place


def sources_of(paper, root=ROOT):
    """{file: the code that counts} of the files that the map names and of those they include."""
    left = files_of(paper, root)
    found = {path: code_of(path) for path in left}
    while left:
        for path in included(left.pop(), root):
            if path not in found:
                found[path] = counted(path, root)
                left.append(path)
    return {path: code for path, code in sorted(found.items()) if code.strip()}


def kernels_of(paper, root=ROOT):
    """The hash, as 16 hexadecimal digits; "" if there is no map."""
    if not (root / "lib" / "papers" / paper / f"{paper}.h").is_file():
        return ""
    digest = hashlib.sha256()
    for path, code in sorted(sources_of(paper, root).items(), key=lambda found: found[0].name):
        words = f"{path.name}\n{' '.join(INCLUDE.sub(' ', code).split())}\n"
        digest.update(words.encode("utf-8"))
    return digest.hexdigest()[:16]
