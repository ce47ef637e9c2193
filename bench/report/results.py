"""Loads the JSON files of a folder of results and checks every field that the page uses.

A file or a row that cannot be right is left out, and a Problem says why. The page shows all
problems, so that damaged data become a visible gap and never a wrong figure.
"""

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from stats import Spread, spread

MOST_COUNT = 2**53  # keys, bytes, threads
LEAST_TIME, MOST_TIME = 1e-12, 1e7  # seconds


@dataclass(frozen=True)
class Problem:
    file: str
    words: str


@dataclass(frozen=True)
class Row:
    section: str
    label: str
    op: str
    variant: str
    type: str
    dist: str
    p: Optional[float]
    k: Optional[float]
    n: int
    bytes: int
    algorithm: str
    peer: bool
    threads: int
    seconds: tuple
    time: Spread
    over_copy: Optional[float] = None  # the time over that of a copy of as many bytes
    device: str = ""  # cpu, cuda or hybrid; "" in older files
    parameters: str = ""  # of the contender, in words
    share: Optional[float] = None  # of the CPU


@dataclass
class Document:
    """The rows of one file. `device` is "cuda" if the arrays were on a GPU, else "cpu"."""

    file: str
    machine: str  # the folder
    subject: str
    date: str  # with the time of day
    version: str
    revision: str  # of the source; "" if the file names none
    device: str
    hardware: str  # the processor that computed
    host: str
    repeat: int
    threads: int
    seed: int
    cpus: int
    gpu: str = ""  # the first one of the machine
    kernels: str = ""  # the hash of the paper's sources; "" if the file is not of one paper
    paper: str = ""
    commands: tuple = ()
    rows: list = field(default_factory=list)

    @property
    def day(self):
        return self.date[:10]

    def section(self, name):
        return [row for row in self.rows if row.section == name]


@dataclass(frozen=True)
class PythonRow:
    section: str
    name: str
    seconds: dict  # contender to seconds
    machine: str
    file: str


@dataclass(frozen=True)
class ProgramRow:
    """A row of bench/lines or bench/csv: one program that sorts a file."""

    case: str
    program: str
    seconds: float  # wall time
    machine: str
    file: str


@dataclass(frozen=True)
class RateRow:
    """A row of bzip2_gpu.txt: bytes per second of one text, in millions."""

    text: str
    cpu: float
    cuda: float
    machine: str
    file: str


@dataclass
class Results:
    documents: list = field(default_factory=list)
    python: list = field(default_factory=list)
    programs: list = field(default_factory=list)
    bzip2: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    other: list = field(default_factory=list)  # JSON files without rows
    gpus: dict = field(default_factory=dict)  # machine to the name of its GPU

    def find(self, subject, device, section, paper=""):
        """{machine: (document, rows)} of the newest document that has rows of the section. One of
        the paper comes before one of no paper."""
        found = {}
        mine = [d for d in self.documents if d.paper in ("", paper)]
        for document in sorted(mine, key=lambda d: (d.paper == paper, d.date)):
            if document.subject == subject and document.device == device:
                rows = document.section(section)
                if rows:
                    found[document.machine] = (document, rows)
        return found


def text(value, what, longest=200):
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{what} is not a text of at most {longest} characters")
    return value


def count(value, what):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_COUNT:
        raise ValueError(f"{what} is not a count")
    return value


def number(value, what):
    """A finite number, or None for null."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{what} is not a finite number")
    return value


PARAMETERS = {
    "share": "share of the CPU {:g}",
    "sub_array": "sub-arrays of {:,}",
    "splitters": "{:,} splitters",
    "multiprocessors": "{:g} multiprocessors",
}


def read_parameters(raw):
    """What the contender was told, in words."""
    given = {name: number(raw.get(name), name) for name in PARAMETERS}
    words = [PARAMETERS[name].format(value) for name, value in given.items() if value is not None]
    return ", ".join(words + ["pinned"] * (raw.get("pinned") is True))


def read_row(raw):
    """Raises ValueError or KeyError if a field is missing or cannot be right."""
    if not isinstance(raw, dict):
        raise ValueError("the row is not an object")
    seconds = raw["seconds"]
    if not isinstance(seconds, list) or not seconds:
        raise ValueError("seconds is not a list of times")
    times = [number(value, "seconds") for value in seconds]
    if any(value is None or not LEAST_TIME <= value <= MOST_TIME for value in times):
        raise ValueError("seconds has a time that no benchmark can measure")
    time = spread(times)
    stated = number(raw["median_s"], "median_s")
    if stated is None or abs(stated - time.median) > 1e-5 * time.median:
        raise ValueError(f"median_s is {stated}, but the median of seconds is {time.median:.9g}")
    return Row(
        section=text(raw["section"], "section"),
        label=text(raw["label"], "label").strip(),
        op=text(raw["op"], "op"),
        variant=text(raw.get("variant") or "", "variant"),
        type=text(raw.get("type") or "", "type"),
        dist=text(raw.get("dist") or "", "dist"),
        p=number(raw.get("p"), "p"),
        k=number(raw.get("k"), "k"),
        n=count(raw["n"], "n"),
        bytes=count(raw["bytes"], "bytes"),
        algorithm=text(raw["algorithm"], "algorithm"),
        peer=raw.get("peer") is True,
        threads=count(raw["threads"], "threads"),
        seconds=tuple(times),
        time=time,
        over_copy=number(raw.get("time_over_copy"), "time_over_copy"),
        device=text(raw.get("device") or "", "device", 20),
        parameters=read_parameters(raw),
        share=number(raw.get("share"), "share"),
    )


def read_commands(data):
    """The commands that made the rows: a list of merged sections, or that of one run."""
    given = data.get("commands", [data["command"]] if data.get("command") else [])
    if not isinstance(given, list):
        raise ValueError("commands is not a list")
    return tuple(text(command, "command", 400) for command in given)


def read_document(data, file, machine):
    host = data["machine"]
    if not isinstance(host, dict):
        raise ValueError("machine is not an object")
    cpu = text(host.get("cpu") or "an unnamed processor", "machine.cpu")
    cpus = count(host["cpus"], "machine.cpus")
    isa = text(host.get("isa") or "", "machine.isa")
    on_host = f"{cpu}, {cpus} CPUs" + (f", {isa}" if isa else "")
    device = data.get("device")
    if device is not None:
        text(device, "device")
    return Document(
        file=file,
        machine=machine,
        subject=text(data["benchmark"], "benchmark"),
        date=text(data["date"], "date", 30),
        version=text(data["version"], "version", 40),
        revision=text(data.get("revision") or "", "revision")[:12],
        device="cpu" if device is None else "cuda",
        hardware=on_host if device is None else device.split(", compute")[0],
        host=on_host,
        repeat=count(data["repeat"], "repeat"),
        threads=count(data["threads"], "threads"),
        seed=count(data["seed"], "seed"),
        cpus=cpus,
        gpu=text(host.get("gpus") or "", "machine.gpus", 2000).split(";")[0].split(",")[0],
        kernels=text(data.get("kernels") or "", "kernels", 64),
        paper=text(data.get("paper") or "", "paper", 40),
        commands=read_commands(data),
    )


def read_python_row(raw, machine, file):
    seconds = raw["seconds"]
    if not isinstance(seconds, dict) or not seconds:
        raise ValueError("seconds is not an object of times")
    times = {}
    for name, value in seconds.items():
        time = number(value, "seconds")
        if time is None or not LEAST_TIME <= time <= MOST_TIME:
            raise ValueError("seconds has a time that no benchmark can measure")
        times[text(name, "contender")] = time
    return PythonRow(
        text(raw["section"], "section"), text(raw["name"], "name"), times, machine, file
    )


def refuse_constant(name):
    raise ValueError(f"{name} is not a number of JSON")


def load_file(path, file, machine, results):
    """Adds the rows of one file to the results."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)
        if not isinstance(data, dict):
            raise ValueError("it is not an object")
        if "rows" not in data:
            results.other.append(file)
            return
        rows = data["rows"]
        if not isinstance(rows, list):
            raise ValueError("rows is not a list")
        document = read_document(data, file, machine) if "benchmark" in data else None
    except (OSError, RecursionError, KeyError, TypeError, ValueError) as error:
        results.problems.append(Problem(file, f"not read: {reason(error)}"))
        return
    for place, raw in enumerate(rows):
        try:
            if document is not None:
                document.rows.append(read_row(raw))
            else:
                results.python.append(read_python_row(raw, machine, file))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            results.problems.append(Problem(file, f"row {place + 1} left out: {reason(error)}"))
    if document is not None:
        if document.device == "cuda":
            results.gpus.setdefault(machine, document.hardware)
        results.documents.append(document)


PROGRAM_HEAD = re.compile(r"case +limit +program +wall s ")
PROGRAM_ROW = re.compile(r"(\S.*?) {2,}none (\S+) +(\d+\.\d+) ")


def load_programs(path, file, machine, results):
    """Adds the rows of a text file of bench/lines or bench/csv; others have no such table."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    heads = [place for place, line in enumerate(lines) if PROGRAM_HEAD.match(line)]
    for line in lines[heads[0] + 1 :] if heads else ():
        found = PROGRAM_ROW.match(line)
        if found and LEAST_TIME <= float(found[3]) <= MOST_TIME:
            results.programs.append(ProgramRow(found[1], found[2], float(found[3]), machine, file))


RATE_HEAD = "| file | cpu | cuda | cuda / cpu |"
RATE_ROW = re.compile(r"\| (\S.*?) \| *(\d+\.\d+) \| *(\d+\.\d+) \|")


def load_rates(path, file, machine, results):
    """Adds the rows of the last table of a file, which is the newest one."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    heads = [place for place, line in enumerate(lines) if line == RATE_HEAD]
    for line in lines[heads[-1] + 2 :] if heads else ():
        found = RATE_ROW.match(line)
        if not found:
            break
        if float(found[2]) > 0:
            row = RateRow(found[1], float(found[2]), float(found[3]), machine, file)
            results.bzip2.append(row)


def reason(error):
    if isinstance(error, KeyError):
        return f"the field {error.args[0]} is missing"
    return " ".join(str(error).split()) or type(error).__name__


def load(folder, pattern="*/*/*.json"):
    """All JSON files MACHINE/SUBJECT/NAME.json in `folder`, in the order of their names."""
    folder = Path(folder)
    results = Results()
    for path in sorted(folder.glob(pattern)):
        load_file(path, path.relative_to(folder).as_posix(), path.parent.parent.name, results)
    for path in sorted(folder.glob("*/files/*.txt")):
        name = path.relative_to(folder).as_posix()
        load_programs(path, name, path.parent.parent.name, results)
    for path in sorted(folder.glob("*/text/bzip2_gpu.txt")):
        name = path.relative_to(folder).as_posix()
        load_rates(path, name, path.parent.parent.name, results)
    if not results.documents and not results.python:
        results.problems.append(Problem(folder.name, "the folder has no results"))
    for document in results.documents:  # a hybrid run uses both processors and names only the host
        gpu = results.gpus.get(document.machine, document.gpu)
        if document.subject == "hybrid" and gpu:
            document.hardware = f"{document.host} with {gpu}"
    return results
