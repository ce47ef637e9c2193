"""The source files of a paper's algorithms and a hash of them, to see whether a result is older.

The map at the top of lib/papers/NAME/NAME.h names the files. What they include from the FOLDERS of
lib/ counts too, at any depth: files of lib/papers, templates (.t.h) and device headers (.cuh) count
whole. Other headers declare the interfaces of all verbs, so that each new verb changes them: of
these only the functions that they define count. Comments, spaces, folders and the names of included
files change no time and do not count, nor does the map.

The files of thresholds (tuning.h, cuda_tuning.cuh and others whose name ends so, in every folder)
have numbers for all verbs. Of these files an enumerator, macro, struct or function counts, with its
value or body, only if its name occurs in code that counts: in another file of the paper, or in a
definition of a file of thresholds that counts itself. A threshold may move to another such file.
"""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("papers", "core", "cpu", "cuda", "hybrid", "gen")  # not backend, which has interfaces
FILE = re.compile(r"[A-Za-z0-9_/.-]+\.(?:cuh|cu|c|h)\b")
WORD = re.compile(r"\w+")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*(?:include|define[ \t]+ORDO_(?:\w+_)?TEMPLATE)[ \t]+"([^"]+)"', re.MULTILINE
)
# A function with its body, as clang-format lays it out: it begins and ends in the first column.
FUNCTION = re.compile(r"^[A-Za-z_][^;{}#]*\)\s*\{(?:[^\n]*\}$|.*?^\})", re.MULTILINE | re.DOTALL)
# What else a file of thresholds defines.
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
STRUCT = re.compile(
    r"^(?:template\s*<[^;{}]*>\s*)?struct\b[^;{}]*(?:\{.*?^\})?;", re.MULTILINE | re.DOTALL
)
ENUM = re.compile(r"\benum\b[^;{}]*\{(.*?)\};", re.DOTALL)
ENUMERATOR = re.compile(r"\w+\s*=.*?(?=,\s*\w+\s*=|,?\s*\Z)", re.DOTALL)
# The name in each of them. The text of a definition is the pattern's group, else the whole match.
NAMES = (
    (MACRO, re.compile(r"(\w+)")),
    (STRUCT, re.compile(r"\bstruct\s+(\w+)")),
    (FUNCTION, re.compile(r"(\w+)\(")),
)


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


def has_thresholds(path):
    return path.stem.endswith("tuning") and path.suffix in (".h", ".cuh")


def definitions_of(code):
    """[(name, text)] of the definitions in a file of thresholds, and the rest of its code."""
    found = []
    for pattern, name in NAMES:
        for match in pattern.finditer(code):
            text = match.group(match.re.groups).replace("\\\n", " ")
            found.append((name.search(text).group(1), " ".join(text.split())))
        code = pattern.sub("", code)
    for body in ENUM.findall(code):
        for text in ENUMERATOR.findall(body):
            name, value = text.split("=", 1)
            found.append((name.strip(), " ".join([name.strip(), *value.split()])))
    return found, ENUM.sub("", code)


def count_thresholds(found):
    """Gives the files of thresholds in found, {file: code}, the definitions that the code uses."""
    left = {path: definitions_of(code_of(path))[0] for path in found if has_thresholds(path)}
    used = {word for path in found if path not in left for word in WORD.findall(found[path])}
    taken = {path: [] for path in left}
    while True:
        more = [(path, d) for path in left for d in left[path] if d[0] in used]
        if not more:
            break
        for path, definition in more:
            left[path].remove(definition)
            taken[path].append(definition[1])
            used.update(WORD.findall(definition[1]))
    for path, texts in taken.items():
        found[path] = "\n".join(sorted(texts))


def counted(path, root):
    """The part of an included file that counts."""
    code = code_of(path)
    folder = path.relative_to(root / "lib").parts[0]
    if folder == "papers" or path.name.endswith((".t.h", ".cuh")):
        return code
    return "\n".join(FUNCTION.findall(code))


def included(path, root):
    """The files in FOLDERS, and the files of thresholds, that a file includes."""
    for name in INCLUDE.findall(code_of(path)):
        place = root / "lib" / name
        if (name.split("/")[0] in FOLDERS or has_thresholds(place)) and place.is_file():
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
    count_thresholds(found)
    return {path: code for path, code in sorted(found.items()) if code.strip()}


def kernels_of(paper, root=ROOT):
    """The hash, as 16 hexadecimal digits; "" if there is no map."""
    if not (root / "lib" / "papers" / paper / f"{paper}.h").is_file():
        return ""
    digest = hashlib.sha256()
    thresholds = []
    for path, code in sorted(sources_of(paper, root).items(), key=lambda found: found[0].name):
        if has_thresholds(path):
            thresholds += code.split("\n")
        else:
            words = f"{path.name}\n{' '.join(INCLUDE.sub(' ', code).split())}\n"
            digest.update(words.encode("utf-8"))
    digest.update("\n".join(sorted(thresholds)).encode("utf-8"))
    return digest.hexdigest()[:16]
