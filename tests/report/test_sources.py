"""Which sources count for the hash of a paper's kernels."""

import tempfile
import unittest
from pathlib import Path

import papers
import sources


class Kernels(unittest.TestCase):
    def make(self, code):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        (root / "lib" / "papers" / "x").mkdir(parents=True)
        (root / "lib" / "papers" / "x" / "x.h").write_text("/* fast.c: run; cpu/slow.c: walk */\n")
        (root / "lib" / "cpu").mkdir()
        (root / "lib" / "cpu" / "slow.c").write_text("int walk;\n")
        (root / "lib" / "papers" / "x" / "fast.c").write_text(code)
        return root

    def test_the_hash_is_of_the_code_of_the_files_in_the_map(self):
        root = self.make("int run; /* a word */\n")
        names = [path.name for path in sources.files_of("x", root)]
        self.assertEqual(names, ["slow.c", "fast.c"])
        first = sources.kernels_of("x", root)
        self.assertEqual(first, sources.kernels_of("x", self.make("int  run; // more words\n")))
        self.assertNotEqual(first, sources.kernels_of("x", self.make("int run2;\n")))
        (root / "lib" / "cpu" / "slow.c").write_text("int walk2;\n")
        self.assertNotEqual(first, sources.kernels_of("x", root))

    def test_the_hash_is_also_of_the_code_of_included_files(self):
        lines = [
            '#include "papers/y.h"',
            '#include "cpu/verbs.h"',
            '#include "backend/job.h"',
            '  #define ORDO_CLASS_TEMPLATE "core/merge.t.h"',
            '/* #include "cpu/old.h" */',
        ]
        root = self.make("\n".join(lines))
        verb = "static int twice(int a)\n{\n    return 2 * a;\n}\n"
        interface = "#define LIMIT 3\nint sort(void);\nstruct a {\n    int b;\n};\n"
        files = {
            "papers/y.h": '#include "cuda/warp.cuh"\nint far;\n',
            "cuda/warp.cuh": "constexpr int WIDTH = 32;\n",
            "cpu/verbs.h": interface + verb + interface,
            "cpu/old.h": "int gone(void) { return 1; }\n",
            "backend/job.h": "int job(void) { return 1; }\n",
            "core/merge.t.h": "enum { WAYS = 2 };\n",
        }
        for name, words in files.items():
            path = root / "lib" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(words)
        found = sources.sources_of("x", root)
        names = [path.relative_to(root / "lib").as_posix() for path in found]
        wanted = ["core/merge.t.h", "cpu/slow.c", "cpu/verbs.h", "cuda/warp.cuh", "papers/x/fast.c"]
        self.assertEqual(names, [*wanted, "papers/y.h"])
        self.assertEqual(found[root / "lib" / "cpu" / "verbs.h"].strip(), verb.strip())
        first = sources.kernels_of("x", root)
        for name, change, counts in (
            ("papers/y.h", "/* a word */\n", False),
            ("papers/y.h", "int near;\n", True),
            ("cuda/warp.cuh", "constexpr int MORE = 1;\n", True),
            ("core/merge.t.h", "enum { MORE = 3 };\n", True),
            ("cpu/verbs.h", "int another(void);\n", False),
            ("cpu/verbs.h", "#define ANOTHER 4\n", False),
            ("cpu/verbs.h", "int one(void) { return 1; }\n", True),
            ("cpu/old.h", "int two(void) { return 2; }\n", False),
            ("backend/job.h", "int two(void) { return 2; }\n", False),
        ):
            path = root / "lib" / name
            path.write_text(files[name] + change)
            changed = sources.kernels_of("x", root) != first
            self.assertEqual(changed, counts, f"{name}: {change}")
            path.write_text(files[name])

    def test_thresholds_count_where_the_code_uses_them(self):
        lines = [
            '#include "cpu/cpu.h"',
            '#include "cuda/cuda_tuning.cuh"',
            "int run(void) { return USED + NESTED + cuda_tune_shape<4>::ROWS + CUDA_USED(1); }",
        ]
        root = self.make("\n".join(lines))
        shape = "template <int KEY> struct cuda_tune_shape {\n    enum {\n        ROWS = KEY\n"
        files = {
            "cpu/cpu.h": '#include "cpu/base/tuning.h"\n',
            "cpu/base/tuning.h": '#include "backend/tuning.h"\nenum {\n    /* Best: 1. */\n'
            "    USED = TUNE(1 << 2, 3),\n    UNUSED = TUNE(5,\n                  6),\n"
            "    NESTED = FAR + 1\n};\n",
            "backend/tuning.h": "#define TUNE(a, b) (a)\n#define SPARE 7\n"
            "enum { FAR = 8, AWAY = 9 };\n",
            "cuda/cuda_tuning.cuh": "#define CUDA_USED(KEY) \\\n    (CUDA_NEXT + (KEY))\n"
            f"#define CUDA_NEXT 10\n#define CUDA_SPARE 11\n{shape}    }};\n}};\n"
            "template <int KEY> struct cuda_tune_spare;\n",
        }
        for name, words in files.items():
            path = root / "lib" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(words)
        first = sources.kernels_of("x", root)
        for name, old, new, counts in (
            ("cpu/base/tuning.h", "TUNE(1 << 2, 3)", "TUNE(1 << 3, 3)", True),
            ("cpu/base/tuning.h", "FAR + 1", "FAR + 2", True),
            ("cpu/base/tuning.h", "TUNE(5,", "TUNE(50,", False),
            ("cpu/base/tuning.h", "Best: 1.", "Best: 2.", False),
            ("cpu/base/tuning.h", "UNUSED =", "MORE = 12,\n    UNUSED =", False),
            ("backend/tuning.h", "FAR = 8", "FAR = 80", True),
            ("backend/tuning.h", "(a)\n", "(b)\n", True),
            ("backend/tuning.h", "AWAY = 9", "AWAY = 90", False),
            ("backend/tuning.h", "SPARE 7", "SPARE 70", False),
            ("cuda/cuda_tuning.cuh", "NEXT + (KEY)", "NEXT + 2 * (KEY)", True),
            ("cuda/cuda_tuning.cuh", "CUDA_NEXT 10", "CUDA_NEXT 100", True),
            ("cuda/cuda_tuning.cuh", "ROWS = KEY", "ROWS = 2 * KEY", True),
            ("cuda/cuda_tuning.cuh", "CUDA_SPARE 11", "CUDA_SPARE 110", False),
            ("cuda/cuda_tuning.cuh", "#define CUDA_SPARE 11\n", "", False),
            ("cuda/cuda_tuning.cuh", "cuda_tune_spare", "cuda_tune_other", False),
        ):
            path = root / "lib" / name
            self.assertIn(old, files[name])
            path.write_text(files[name].replace(old, new))
            changed = sources.kernels_of("x", root) != first
            self.assertEqual(changed, counts, f"{name}: {new}")
            path.write_text(files[name])

    def test_a_threshold_may_move_to_another_file_of_thresholds(self):
        hashes = set()
        for near, far in (("A = 1, B = 2", "C = 3"), ("B = 2", "C = 3, A = 1")):
            root = self.make('#include "cpu/tuning.h"\nint run(void) { return A + B + C; }\n')
            (root / "lib" / "hybrid").mkdir()
            include = '#include "hybrid/tuning.h"\n'
            (root / "lib" / "cpu" / "tuning.h").write_text(f"{include}enum {{ {near} }};\n")
            (root / "lib" / "hybrid" / "tuning.h").write_text(f"enum {{ {far} }};\n")
            hashes.add(sources.kernels_of("x", root))
        self.assertEqual(len(hashes), 1)

    def test_every_definition_in_a_file_of_thresholds_has_a_known_form(self):
        files = [path for path in (sources.ROOT / "lib").rglob("*") if sources.has_thresholds(path)]
        self.assertGreater(len(files), 3)
        for path in files:
            found, rest = sources.definitions_of(sources.code_of(path))
            self.assertGreater(len(found), 2, path)
            lines = [line for line in rest.split("\n") if line.strip() and line[0] != "#"]
            self.assertEqual(lines, [], path)

    def test_the_sources_of_a_paper_have_what_its_kernels_include(self):
        for key, names in {
            "hybrid": [
                "papers/hybrid/sample_call.h",
                "papers/base/dev_compare.cuh",
                "core/merge.t.h",
            ],
            "roughsort": ["cuda/sort/merge_sorted.cuh", "cuda/warp/warp_scan.cuh"],
            "median": [
                "backend/tuning.h",
                "cpu/base/tuning.h",
                "cuda/runtime/cuda_tuning.cuh",
                "papers/base/tuning.h",
                "papers/median/paper_merge.t.h",
            ],
        }.items():
            found = sources.sources_of(key)
            for name in names:
                self.assertIn(sources.ROOT / "lib" / name, found)

    def test_every_paper_has_kernels(self):
        for key in papers.PAPERS:
            self.assertGreater(len(sources.files_of(key)), 2, key)


if __name__ == "__main__":
    unittest.main()
