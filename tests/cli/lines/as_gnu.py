"""Compares `sort` of ordo with GNU sort on random files and options.

usage: as_gnu.py GNU_SORT ORDO_SORT SEED CASES [FIRST]

Both run with LC_ALL=C in folders with the same files. Output, exit code, all files afterwards and
the first line of stderr must be the same, but for what `allowed` and `compare` name. Each
difference is printed with its command, and the number of cases at the end; FIRST is the first case
to run.

Two differences are not generated. GNU sort 9.1 on x86-64 skips the byte 0x80 in numbers, as if it
were a separator of thousands. For -g it compares NaNs by their bytes in memory, of which some are
not set; ordo, as later versions, puts -nan before nan, and NaNs of the same sign tie.
"""

import os
import random
import shlex
import shutil
import subprocess
import sys

NUMBERS = (
    "0 -0 +1 1.5 -1.5 .5 -.5 5. 1e3 1E-2 -1e3 0x1f -0x1p3 inf -inf +inf infinity 1,000 00012 "
    "-007 1K 2M 1.5G -3K 1k 1Ki 2MB 10T 5E 1Z 1Y 999999999999999999999 -1 -2 10 9 8.0 8 "
    "0.0000001 1e400 -1e400 1e-400 - + -- --1 -+1 1- . -. 1..2 0.10 0.1 .10 000 0K -0M 1_0 e5 "
    "0x 1e 123456789012345678901234567890.5 12345678901234567890123456789 4294967296 "
    "18446744073709551616 -9223372036854775809 3.14159265358979323846264338327950288 0b1"
).split()
MONTHS = (
    "JAN jan January Feb MARCH apr May jUn JUL aug sep SEPT oct nov dec xyz ja janx 1jan -feb"
).split()
VERSIONS = (
    "a1.9 a1.10 a1.9.tar.gz a1.10.tar.gz .x .. . ... .a.b 1.0~rc1 1.0 1.0-1 a~ a A a.b.c a.b "
    "a.1b 1.0~ 1.0~~ v1 v01 v001 v1.0 v1.00 foo-1.2.txt foo-1.10.txt foo.txt foo. ~ a~1 0 00 "
    "000 01 1 10 2"
).split()
WORDS = (
    "a b ab aB AB Ab abc a-b a_b a.b B c C ca the The THE z Z zz !x #y ~ - _ \xe9 \x01 \x7f \x1b[m"
).split()
BLANKS = ["", "", "", " ", "  ", "\t", " \t", "\v", "\f", "\r"]


# Wrong words of a command line, each entry as a shell reads it.
WRONG_TABS = ("-t xy", "-t ''", "-t '\\t'", "-t1 -t2")
WRONG = (
    *"-x --foo --foo=1 --rand --r --reverse=1 -S-1 --buffer-size=9z -S99999999999999999999".split(),
    *"--batch-size=1 --batch-size=0 --batch-size=x --batch-size=2k --batch-size=99999999".split(),
    *"--parallel=0 --parallel=x --parallel=-1 --files0-from=missing missing a:b '#a' {".split(),
    *"-k0 -k1.0 -kx -k1x -k1, -k1. -k1,2.x -k1,2,3 -k1,0 -k+1 -Sx -S5Q --parallel -k +1x".split(),
    *"--output -nM -k1,1gh -kx 'aNEWLINEb' \xfc".split(),
    *("-k ''", "-k ' 1'", "-S ''", "-o nofolder/x", "--sort=n --sort=M", "-c -C", "'a b'", "''"),
    *('"it\'s"', "--compress-program=a --compress-program=b", "-o a -o b", "+1 -2x", "+1 -2."),
    "--random-source=a --random-source=b",
)

# Options and the share of the cases that have one of each row.
OTHERS = (
    (0.25, "-s --stable --st"),
    (0.25, "-u --unique --u"),
    (0.12, "-m --merge --me"),
    (0.10, "-c -C --check --check=quiet --check=silent --check=q --check=diagnose-first --che"),
    (0.05, "--debug --deb"),
    (0.10, "--batch-size=2 --batch-size,3 --ba=16"),
    (0.10, "-S,1 -S1k --buffer-size=10b -S,1% --buffer-size=1M"),
    (0.06, "--compress-program=gzip --compress-program,gzip --co=gzip"),
    (0.08, "--parallel=1 --parallel,2 --p=3 --parallel=9999"),
    (0.05, "-T,. --temporary-directory=/tmp"),
    (0.02, "-y -y3"),
)
RANDOM = ("-R", "--random-sort", "--sort=random", "--random-sor")


class Case:
    """One command, its files and its stdin."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.files = {}
        self.stdin = b""
        self.environment = {}
        self.end = b"\n"
        self.wrong = False
        self.separator = None
        self.options = self.make_options()
        self.operands = self.make_files()
        self.words = self.join()

    def chance(self, share):
        return self.random.random() < share

    # ---- Options ----

    def make_position(self, letters):
        r = self.random
        text = str(r.choice([1, 1, 1, 2, 2, 3, 4, 7]))
        if self.chance(0.35):
            text += "." + str(r.choice([1, 1, 2, 3, 5, 20]))
        return text + letters

    def make_letters(self):
        r = self.random
        kinds = [
            "",
            "",
            "",
            "n",
            "n",
            "g",
            "h",
            "M",
            "V",
            "V",
            "d",
            "i",
            "di",
            "f",
            "fd",
            "fi",
            "fV",
            "dV",
        ]
        letters = r.choice(kinds)
        letters += "r" if self.chance(0.3) else ""
        letters += "b" if self.chance(0.25) else ""
        return "".join(r.sample(letters, len(letters)))

    def make_key(self):
        r = self.random
        key = self.make_position(self.make_letters())
        if self.chance(0.65):
            key += "," + self.make_position(self.make_letters() if self.chance(0.15) else "")
        if self.chance(0.15):
            key += ".0" if key[-1].isdigit() and "," in key and "." not in key.split(",")[1] else ""
        form = r.choice(["-k", "-k ", "--key=", "--key ", "--ke="])
        return form.replace(" ", "\0").split("\0") if " " in form else [form], key

    def key_words(self):
        if self.chance(0.12):  # of the old form
            first = "+" + str(self.random.choice([0, 0, 1, 1, 2, 5]))
            first += "." + str(self.random.choice([0, 1, 2])) if self.chance(0.3) else ""
            words = [first + self.make_letters()]
            if self.chance(0.7):
                words.append("-" + str(self.random.choice([0, 1, 2, 3])))
                words[1] += "." + str(self.random.choice([0, 1, 2])) if self.chance(0.3) else ""
                words[1] += self.make_letters() if self.chance(0.2) else ""
            return words
        form, key = self.make_key()
        return [form[0] + key] if len(form) == 1 else [form[0], key]

    def order_words(self):
        r = self.random
        short = self.make_letters()
        long_names = {
            "n": ["--numeric-sort", "--num", "--sort=numeric", "--sort=n"],
            "g": ["--general-numeric-sort", "--g", "--sort=general-numeric", "--sort=g"],
            "h": ["--human-numeric-sort", "--hu", "--sort=human-numeric"],
            "M": ["--month-sort", "--mo", "--sort=month"],
            "V": ["--version-sort", "--version-s", "--sort=version", "--sort=v"],
            "d": ["--dictionary-order", "--di"],
            "f": ["--ignore-case", "--ignore-c"],
            "i": ["--ignore-nonprinting", "--ignore-n"],
            "b": ["--ignore-leading-blanks", "--ignore-l"],
            "r": ["--reverse", "--rev", "--re"],
        }
        if short and self.chance(0.3):
            return [r.choice(long_names.get(c, ["-" + c])) for c in short]
        return ["-" + short] if short else []

    def make_options(self):
        r = self.random
        groups = []
        for _ in range(r.choice([0, 0, 1, 1, 1, 2, 3])):
            groups.append(self.key_words())
        if self.chance(0.6):
            groups.append(self.order_words())
        if self.chance(0.3):
            self.separator = r.choice([" ", ",", ":", "\t", "a", "\\0", "1", "."])
            groups.append(
                r.choice(
                    [
                        ["-t", self.separator],
                        ["-t" + self.separator],
                        ["--field-separator=" + self.separator],
                        ["--fie", self.separator],
                    ]
                )
            )
        for share, choices in OTHERS:
            if self.chance(share):
                groups.append(r.choice(choices.split()).split(","))
        if self.chance(0.15):
            self.end = b"\0"
            groups.append([r.choice(["-z", "--zero-terminated", "--z"])])
        if self.chance(0.12) and not any(w in ("-m", "--merge", "--me") for g in groups for w in g):
            groups.append([r.choice(RANDOM)])
        if self.chance(0.08):
            self.wrong = True
            groups = [g for g in groups if not "".join(g).startswith(("--ba", "--co"))]
            groups.append(self.wrong_words())
        if self.chance(0.05):
            self.environment["POSIXLY_CORRECT"] = "1"
        if self.chance(0.05):
            self.environment["_POSIX2_VERSION"] = r.choice(["199209", "200112", "200809"])
        r.shuffle(groups)
        return groups

    def wrong_words(self):
        tabs = WRONG_TABS if self.separator is None else ()
        return shlex.split(self.random.choice((*tabs, *WRONG)).replace("NEWLINE", "\n"))

    # ---- Files ----

    def make_field(self, kinds):
        r = self.random
        kind = r.choice(kinds)
        if kind == "bytes":
            return bytes(
                r.choice(b"ab AB\x00\x01\t\x7f\x81\xe9\xff.,-1") for _ in range(r.randrange(6))
            )
        words = {"number": NUMBERS, "month": MONTHS, "version": VERSIONS, "word": WORDS}[kind]
        return (r.choice(BLANKS) + r.choice(words)).encode()

    def make_text(self, lines):
        r = self.random
        kinds = r.sample(["number", "month", "version", "word", "bytes"], r.choice([1, 1, 2, 5]))
        joint = b"\0" if self.separator == "\\0" else (self.separator or " ").encode()
        if self.separator is None:
            joint = r.choice([b" ", b" ", b"  ", b"\t"])
        text = []
        for _ in range(lines):
            if text and self.chance(0.25):
                text.append(r.choice(text))
            elif self.chance(0.1):
                text.append(b"")
            else:
                text.append(
                    joint.join(self.make_field(kinds) for _ in range(r.choice([1, 1, 2, 3, 4])))
                )
        if self.chance(0.1):
            text = [line + b"\r" for line in text]
        data = b"".join(line.replace(self.end, b"") + self.end for line in text)
        return data[:-1] if self.chance(0.3) else data

    def make_file(self, name):
        lines = self.random.choice([0, 1, 2, 5, 10, 20, 40])
        if self.chance(0.02):
            lines = 4000
        self.files[name] = self.make_text(lines)

    def make_files(self):
        r = self.random
        many = any(w in ("-m", "--merge", "--me") for g in self.options for w in g)
        count = r.choice([2, 3, 5, 20]) if many else r.choice([0, 1, 1, 1, 1, 2, 3])
        names = [f"f{i}" for i in range(count)]
        for name in names:
            self.make_file(name)
        if count == 0 or self.chance(0.1):
            self.stdin = self.make_text(r.choice([0, 3, 20]))
            if count > 0 or self.chance(0.3):
                names.insert(r.randrange(count + 1), "-")
        if self.chance(0.12) and names:
            self.options.append(["-o", r.choice(names + ["out"])])
        elif self.chance(0.03):
            self.options.append(["--out=out.gz"])
        if self.chance(0.06) and not self.wrong:
            self.files["names"] = "\0".join(names).encode() + (b"\0" if self.chance(0.7) else b"")
            self.options.append(["--files0-from=names"])
            return names[:1] if self.chance(0.1) else []
        if self.chance(0.02):
            names.append("folder")
        return names

    def join(self):
        r = self.random
        groups = list(self.options)
        for name in self.operands:  # options may follow operands
            groups.insert(len(groups) if self.chance(0.8) else r.randrange(len(groups) + 1), [name])
        return [w for g in groups for w in g]

    # ---- Runs ----

    def prepare(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "folder"))
        for name, data in self.files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)

    def run(self, program, folder):
        self.prepare(folder)
        environment = dict(os.environ, LC_ALL="C", **self.environment)
        done = subprocess.run(
            [program, *self.words],
            cwd=folder,
            input=self.stdin,
            env=environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
        files = {}
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as f:
                    files[name] = f.read()
        return done.returncode, done.stdout, first_line(done.stderr), files


def first_line(text):
    """Without the name of the program, and without the list of names that an option abbreviates."""
    return text.split(b"\n")[0].split(b": ", 1)[-1].split(b"; possibilities:")[0]


def is_random(case):
    return any(w in RANDOM for w in case.words)


def same_groups(case, a, b):
    """Random orders: the same lines. With -u any line of a group may be the one that is left."""
    x, y = a.split(case.end), b.split(case.end)
    unique = any(w in ("-u", "--unique", "--u") for w in case.words)
    debug = any(w.startswith("--deb") for w in case.words)
    return debug or sorted(x) == sorted(y) or (unique and len(x) == len(y))


def allowed(case, expected, got):
    """Differences that are documented in the cookbook or below."""
    code, _, error, _ = expected
    # A word that is not one of --check or --sort: GNU sort 9.1 exits with 1, which -c means.
    if code == 1 and error.startswith((b"invalid argument", b"ambiguous argument")):
        return got[0] == 2 and got[2] == error
    # A failed sort creates or empties the file of -o; ordo leaves it as it was.
    return code == 2 and got[0] == 2 and got[2] == error


def compare(case, expected, got):
    if expected == got or allowed(case, expected, got):
        return True
    if (
        is_random(case)
        and {expected[0], got[0]} <= {0, 1}
        and (b"disorder" in expected[2] + got[2])
    ):
        return True
    if is_random(case) and expected[0] == got[0] and expected[2] == got[2]:
        return same_groups(case, expected[1], got[1]) and all(
            same_groups(case, data, got[3].get(name, b"")) for name, data in expected[3].items()
        )
    return False


def main():
    gnu, ordo, seed, cases = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    failed = 0
    for number in range(first, first + cases):
        case = Case(seed * 1000003 + number)
        expected, got = case.run(gnu, "random/expected"), case.run(ordo, "random/got")
        if compare(case, expected, got):
            continue
        failed += 1
        words = " ".join(map(repr, case.words))
        print(f"case {number} of seed {seed}: sort {words} {case.environment or ''}")
        for name, a, b in zip(("exit code", "stdout", "stderr", "files"), expected, got):
            if a != b:
                print(f"  {name}: expected {repr(a)[:300]}, got {repr(b)[:300]}")
    print(f"{cases} cases, {failed} differences")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
