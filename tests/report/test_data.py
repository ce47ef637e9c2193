"""Loading of results, statistics and verdicts."""

import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import kit
import papers
import peers
import results
import stats
import verdicts
from stats import TIMES
from verdicts import Line

# Parts of a call of the sample sort that a rule names.
PARTS = ["phase I", "phase II", "GPU idle", "CPU idle", "GPU idle, phase II", "sample"]


class Loading(unittest.TestCase):
    def load(self, **files):
        with kit.Folder(**files) as folder:
            return results.load(folder)

    def test_reads_a_row(self):
        found = self.load(rank=kit.document([kit.row()]))
        self.assertEqual(found.problems, [])
        (document,) = found.documents
        self.assertEqual((document.device, document.hardware), ("cuda", "A GPU"))
        self.assertAlmostEqual(document.rows[0].time.median, 0.00101)

    def test_names_the_processor_of_a_run_without_gpu(self):
        found = self.load(rank=kit.document([kit.row()], device=None))
        self.assertEqual(found.documents[0].hardware, "A processor, 4 CPUs, avx2")

    def test_names_both_processors_of_a_hybrid_run(self):
        found = self.load(
            rank=kit.document([kit.row()]),
            hybrid=kit.document([kit.row()], benchmark="hybrid", device=None),
        )
        names = {d.subject: d.hardware for d in found.documents}
        self.assertEqual(names["hybrid"], "A processor, 4 CPUs, avx2 with A GPU")

    def test_accepts_rows_of_older_files(self):
        old = kit.row()
        for name in ("peer", "k", "dist"):
            del old[name]
        found = self.load(rank=kit.document([old]))
        self.assertEqual((found.problems, len(found.documents[0].rows)), ([], 1))

    def test_the_newest_document_of_a_section_counts(self):
        old = kit.document([kit.row(n=5), kit.row(section="old")], date="2026-01-01T00:00:00Z")
        new = kit.document([kit.row(n=7)], date="2026-01-01T00:00:01Z")
        for files in ({"a": old, "b": new}, {"a": new, "b": old}):
            found = self.load(**files)
            section = kit.row()["section"]
            document, rows = found.find("rank", "cuda", section)["machine"]
            self.assertEqual(([row.n for row in rows], document.date), ([7], new["date"]))
            self.assertEqual(found.find("rank", "cuda", "old")["machine"][0].date, old["date"])

    def check_left_out(self, raw, words):
        found = self.load(rank=kit.document([raw, kit.row()]))
        self.assertEqual(len(found.documents[0].rows), 1)
        self.assertEqual(len(found.problems), 1)
        self.assertIn(words, found.problems[0].words)

    def test_leaves_out_rows_that_cannot_be_right(self):
        self.check_left_out(kit.row(seconds=[], median_s=1), "not a list of times")
        self.check_left_out(kit.row(seconds=[1.0, -1.0, 2.0]), "no benchmark can measure")
        self.check_left_out(kit.row(seconds=[1.0, 0.0, 2.0]), "no benchmark can measure")
        self.check_left_out(
            kit.row(seconds=[1.0, None, 2.0], median_s=1.0), "no benchmark can measure"
        )
        self.check_left_out(kit.row(seconds=["1", 1.0, 2.0], median_s=1.0), "not a finite number")
        self.check_left_out(kit.row(median_s=0.5), "median of seconds")
        self.check_left_out(kit.row(n=-1), "n is not a count")
        self.check_left_out(kit.row(n=True), "n is not a count")
        self.check_left_out(kit.row(n=10**400), "n is not a count")
        self.check_left_out(kit.row(seconds=[1e308], median_s=1e308), "no benchmark can measure")
        self.check_left_out(kit.row(label=7), "label")
        self.check_left_out(kit.row(label="x" * 1000), "label")
        self.check_left_out([1, 2], "not an object")
        cut = kit.row()
        del cut["algorithm"]
        self.check_left_out(cut, "the field algorithm is missing")

    def check_not_read(self, content, words):
        found = self.load(bad=content, rank=kit.document([kit.row()]))
        self.assertEqual([d.file for d in found.documents], ["machine/subject/rank.json"])
        self.assertEqual(found.problems[0].file, "machine/subject/bad.json")
        self.assertIn(words, found.problems[0].words)

    def test_does_not_read_damaged_files(self):
        whole = '{"benchmark": "rank", "rows": [{"seconds": [1.0'
        self.check_not_read(whole, "not read")
        self.check_not_read("", "not read")
        self.check_not_read("[" * 100_000, "not read")
        self.check_not_read("[]", "not an object")
        self.check_not_read(kit.document("rows"), "not a list")
        self.check_not_read(kit.document([], machine="x"), "not an object")
        self.check_not_read(kit.document([], repeat=None), "repeat is not a count")
        nan = kit.document([kit.row(p=math.nan)])
        self.check_not_read(nan, "NaN is not a number of JSON")
        infinite = kit.document([kit.row(seconds=[1.0, math.inf, 2.0], median_s=2.0)])
        self.check_not_read(infinite, "Infinity is not a number of JSON")

    def test_says_that_a_folder_is_empty(self):
        found = self.load()
        self.assertIn("no results", found.problems[0].words)

    def test_reads_rows_of_the_python_package(self):
        raw = {"section": "gpu", "name": "sort", "seconds": {"ordo": 1.0, "cupy": 2.0}}
        found = self.load(python={"machine": {}, "rows": [raw, {"section": "gpu"}]})
        self.assertEqual([r.name for r in found.python], ["sort"])
        self.assertEqual(len(found.problems), 1)


class Points(unittest.TestCase):
    def compare(self, rows):
        with kit.Folder(sort=kit.document(rows, benchmark="sort", device=None)) as folder:
            return peers.compare(results.load(folder))

    def test_the_best_peer_with_at_most_as_many_threads(self):
        rows = [
            kit.row(threads=1, seconds=[4.0] * 3),
            kit.row(threads=2, seconds=[4.0] * 3),
            kit.row(algorithm="vqsort", peer=True, threads=1, seconds=[2.0] * 3),
            kit.row(algorithm="std::sort", peer=True, threads=1, seconds=[8.0] * 3),
            kit.row(algorithm="tbb", peer=True, threads=2, seconds=[1.0] * 3),
            kit.row(algorithm="other", label="1", peer=True, seconds=[0.1] * 3),
        ]
        found = self.compare(rows)
        self.assertEqual(
            [(c.rival, c.gain.median) for c in found], [("vqsort", 0.5), ("tbb", 0.25)]
        )
        found = self.compare(rows[:4])
        self.assertEqual([c.rival for c in found], ["vqsort", "vqsort, 1 thread"])

    def test_ahead_level_and_behind(self):
        rows = []
        for label, time in (("a", 2.0), ("b", 1.02), ("c", 0.98), ("d", 0.96)):
            rows.append(kit.row(label=label, seconds=[1.0] * 3))
            rows.append(kit.row(label=label, algorithm="vqsort", peer=True, seconds=[time] * 3))
        score = peers.score(self.compare(rows), lambda c: c.gain.median)
        self.assertEqual((score.points, score.ahead, score.level, score.behind), (4, 1, 2, 1))
        self.assertEqual(score.worst.ours.label, "d")

    def test_every_number_of_threads_of_a_python_row(self):
        seconds = {"ordo/1": 2.0, "ordo/8": 0.5, "numpy": 1.0, "torch": 3.0}
        raw = {"section": "host", "name": "sort", "seconds": seconds}
        with kit.Folder(python={"machine": {}, "rows": [raw]}) as folder:
            found = peers.compare_python(results.load(folder))
        self.assertEqual(
            [(c.label, c.gain, c.peer) for c in found],
            [("sort, 1 thread", 0.5, "numpy"), ("sort, 8 threads", 2.0, "numpy")],
        )

    def test_the_benchmark_counts_the_same_points(self):
        program = os.environ.get("ORDO_BENCH")
        if not program:
            self.skipTest("ORDO_BENCH names no program")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "machine" / "subject" / "sort.json"
            path.parent.mkdir(parents=True)
            options = [
                "sort",
                "--only",
                "types",
                "-n",
                "1000",
                "--repeat",
                "3",
                "--json",
                str(path),
            ]
            subprocess.run([*program.split(), *options], stdout=subprocess.DEVNULL, check=True)
            stated = json.loads(path.read_text(encoding="utf-8"))["scores"]
            found = peers.compare(results.load(folder))
        self.assertEqual(sum(s["points"] for s in stated), len(found))
        if found:  # there are peers
            score = peers.score(found, lambda c: c.gain.median)
            self.assertEqual((stated[0]["ahead"], stated[0]["behind"]), (score.ahead, score.behind))
            self.assertAlmostEqual(stated[0]["worst_ratio"] / score.worst.gain.median, 1, 6)


class Statistics(unittest.TestCase):
    def test_spread(self):
        found = stats.spread([5.0, 1.0, 2.0, 4.0, 3.0])
        self.assertEqual((found.median, found.low, found.high, found.least), (3, 2, 4, 1))
        self.assertTrue(found.noisy)
        self.assertFalse(stats.spread([7.0]).noisy)
        self.assertEqual(stats.spread([1.0, 2.0]).median, 1.5)

    def test_spread_needs_values(self):
        for bad in ([], [0.0], [-1.0], [math.nan], [math.inf]):
            with self.assertRaises(ValueError):
                stats.spread(bad)

    def test_ratio_is_formed_in_each_round(self):
        # The second half of the run is ten times slower; the ratio of the rounds does not see it.
        found = stats.ratio([2.0, 2.0, 20.0, 20.0], [1.0, 1.0, 10.0, 10.0])
        self.assertEqual((found.median, found.low, found.high), (2, 2, 2))
        self.assertIsNone(stats.ratio([1.0], [1.0, 2.0]))

    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([2.0, 8.0]), 4)


def line(role, times, threads=1, noise=0.0):
    rows = {}
    for x, time in times.items():
        seconds = [time * (1 - noise), time, time * (1 + noise)]
        rows[x] = results.read_row(kit.row(seconds=seconds, median_s=time, threads=threads))
    return Line(role, threads, rows)


CLAIM = {"id": "c", "words": "words", "value": 8}
FIGURE = {"claims": [CLAIM], "crossover": {"from": 20, "to": 30}}


class Verdicts(unittest.TestCase):
    def judge(self, rule, *lines):
        return verdicts.judge(rule, FIGURE, lines).verdict

    def test_order(self):
        rule = ("order", "c", ["a", "b"])
        a, b = line("a", {1: 1.0, 2: 2.0}), line("b", {1: 2.0, 2: 3.0})
        self.assertEqual(self.judge(rule, a, b), verdicts.REPRODUCED)
        self.assertEqual(self.judge(rule, line("a", {1: 3.0, 2: 2.0}), b), verdicts.NOT_REPRODUCED)
        self.assertEqual(self.judge(rule, line("a", {1: 2.0, 2: 3.0}), b), verdicts.NOT_REPRODUCED)

    def test_noisy_rows_give_no_verdict(self):
        # The quartiles of the ratio are 1.8 and 2.4, or 0.89 and 1.2, or 7.1 and 9.6.
        order, value = ("order", "c", ["a", "b"]), ("ratio", "c", "b", "a")
        a = line("a", {1: 1.0}, noise=0.3)
        self.assertEqual(self.judge(order, a, line("b", {1: 2.0})), verdicts.REPRODUCED)
        self.assertEqual(self.judge(order, a, line("b", {1: 1.0})), verdicts.NOT_COMPARABLE)
        self.assertEqual(self.judge(value, a, line("b", {1: 8.0})), verdicts.REPRODUCED)
        self.assertEqual(self.judge(value, a, line("b", {1: 10.0})), verdicts.NOT_COMPARABLE)
        self.assertEqual(self.judge(value, a, line("b", {1: 2.0})), verdicts.NOT_REPRODUCED)
        trend = line("a", {1: 1.0, 2: 1.3}, noise=0.2)
        self.assertEqual(self.judge(("rises", "c", "a"), trend), verdicts.NOT_COMPARABLE)
        steep = line("a", {1: 1.0, 2: 3.0}, noise=0.2)
        self.assertEqual(self.judge(("rises", "c", "a"), steep), verdicts.REPRODUCED)
        self.assertEqual(self.judge(("falls", "c", "a"), steep), verdicts.NOT_REPRODUCED)
        threads = ("more threads", "c", "t", "base")
        two = line("t", {1: 1.0}, threads=2, noise=0.3)
        self.assertEqual(self.judge(threads, line("base", {1: 1.0}), two), verdicts.NOT_COMPARABLE)

    def test_ratio(self):
        rule = ("ratio", "c", "slow", "fast")
        for best, expected in (
            (6.3, verdicts.NOT_REPRODUCED),
            (6.5, verdicts.REPRODUCED),
            (9.9, verdicts.REPRODUCED),
            (10.1, verdicts.EXCEEDED),
        ):
            slow, fast = line("slow", {1: best, 2: 1.0}), line("fast", {1: 1.0, 2: 1.0})
            self.assertEqual(self.judge(rule, slow, fast), expected)
        slow, fast = line("slow", {1: 16.0, 2: 4.0}), line("fast", {1: 1.0, 2: 1.0})
        self.assertEqual(self.judge((*rule, "mean"), slow, fast), verdicts.REPRODUCED)
        self.assertEqual(self.judge((*rule, [1]), slow, fast), verdicts.EXCEEDED)
        self.assertEqual(self.judge((*rule, [2]), slow, fast), verdicts.NOT_REPRODUCED)

    def test_a_small_gain(self):
        for ours, expected in (
            (0.99, verdicts.NOT_REPRODUCED),
            (1.1, verdicts.NOT_REPRODUCED),
            (1.17, verdicts.REPRODUCED),
            (1.24, verdicts.REPRODUCED),
            (1.26, verdicts.EXCEEDED),
        ):
            self.assertEqual(verdicts.judge_value(ours, 1.2), expected)

    def test_ratio_of_two_devices(self):
        """A value outside of the factor says something about the hardware."""
        rule = ("device ratio", "c", "slow", "fast")
        for best, expected in (
            (2.0, verdicts.NOT_COMPARABLE),
            (8.0, verdicts.REPRODUCED),
            (20.0, verdicts.NOT_COMPARABLE),
        ):
            fast = line("fast", {1: 1.0})
            self.assertEqual(self.judge(rule, line("slow", {1: best}), fast), expected)
        rows = {1: results.read_row(kit.row(seconds=[1.0] * 3, time_over_copy=1.5))}
        found = verdicts.judge(rule, FIGURE, [line("slow", {1: 90.0}), Line("fast", 1, rows)])
        self.assertIn("fast takes 1.5", found.ours)
        self.assertIn("the time of a copy", found.ours)

    def test_fastest_and_mostly(self):
        a, b, c = (
            line("a", {1: 1.0, 2: 1.0}),
            line("b", {1: 2.0, 2: 2.0}),
            line("c", {1: 2.0, 2: 0.5}),
        )
        rule = ("fastest", "c", "a", ["b", "c"])
        self.assertEqual(self.judge(("fastest", "c", "a", ["b"]), a, b, c), verdicts.REPRODUCED)
        self.assertEqual(self.judge(rule, a, b, c), verdicts.NOT_REPRODUCED)
        mostly = ("mostly", "c", "a", "c")
        self.assertEqual(self.judge(mostly, a, c), verdicts.NOT_REPRODUCED)
        more = line("a", {1: 1.0, 2: 1.0, 3: 1.0}), line("c", {1: 2.0, 2: 0.5, 3: 2.0})
        self.assertEqual(self.judge(mostly, *more), verdicts.REPRODUCED)

    def test_gains(self):
        small = {"claims": [{"id": "c", "words": "", "value": 1.1}]}
        rule = ("gain below", "c", "slow", "fast", ["I", "IV"])
        fast = line("fast", {"I": 1.0, "IV": 1.0})
        for time, expected in ((0.5, verdicts.REPRODUCED), (1.2, verdicts.NOT_REPRODUCED)):
            slow = line("slow", {"I": 1.0, "IV": time})
            self.assertEqual(verdicts.judge(rule, small, [slow, fast]).verdict, expected)
        rule = ("gain from", "c", "slow", "fast")
        slow = line("slow", {2: 1.0, 8: 1.0, 32: 1.0})
        for times, expected in (
            ({2: 1.0, 8: 0.8, 32: 0.8}, verdicts.REPRODUCED),
            ({2: 0.8, 8: 1.0, 32: 0.8}, verdicts.NOT_REPRODUCED),
            ({2: 0.8, 8: 0.8, 32: 0.8}, verdicts.NOT_COMPARABLE),  # on other hardware
            ({2: 0.8, 8: 0.8, 32: 1.0}, verdicts.NOT_REPRODUCED),
        ):
            self.assertEqual(self.judge(rule, slow, line("fast", times)), expected)

    def test_over_the_faster_device(self):
        rule = ("over the faster", "c", ["cpu", "gpu"], "both")
        cpu, gpu = line("cpu", {1: 1.0, 2: 4.0}), line("gpu", {1: 2.0, 2: 2.0})
        both = line("both", {1: 1.0, 2: 1.6, 3: 1.0})
        found = verdicts.judge(rule, FIGURE, [cpu, gpu, both])
        self.assertEqual(found.verdict, verdicts.NOT_COMPARABLE)
        self.assertIn(f"1 {TIMES} to 1.25 {TIMES} as fast as the faster device alone", found.ours)
        self.assertIn(f"at least 1.1 {TIMES} in 1 of 2", found.ours)
        self.assertIn("no row", verdicts.judge(rule, FIGURE, [gpu, both]).ours)

    def test_last_is_least(self):
        rule = ("last is least", "c", "a")
        for times, expected in (
            ({1: 3.0, 2: 2.0, 3: 1.0}, verdicts.REPRODUCED),
            ({1: 3.0, 2: 0.5, 3: 1.0}, verdicts.NOT_REPRODUCED),
            ({1: 1.0, 2: 1.0, 3: 1.0}, verdicts.NOT_REPRODUCED),
            ({1: 1.0}, verdicts.NOT_COMPARABLE),
        ):
            self.assertEqual(self.judge(rule, line("a", times)), expected)

    def test_share_of_the_time(self):
        rule = ("at most", "c", "a", "part", "whole")
        for part, expected in ((9.9, verdicts.REPRODUCED), (10.1, verdicts.NOT_REPRODUCED)):
            self.assertEqual(self.judge(rule, line("a", {"part": part, "whole": 1.0})), expected)
        self.assertEqual(self.judge(rule, line("a", {"whole": 1.0})), verdicts.NOT_COMPARABLE)

    def test_model_of_two_devices(self):
        lines = [
            line("c", {1: 6.0, 2: 3.0}),
            line("g", {1: 2.0, 2: 2.0}),
            line("b", {1: 1.6, 2: 2}),
        ]
        points = verdicts.model_points(lines, "c", "g", "b")
        self.assertEqual([(x, r) for x, r, _, _ in points], [(2, 1.5), (1, 3.0)])
        self.assertAlmostEqual(points[1][2].median, 1.25)
        self.assertAlmostEqual(points[1][3], 4 / 3)
        found = verdicts.judge(("model", "c", "c", "g", "b"), FIGURE, lines)
        self.assertEqual(found.verdict, verdicts.NOT_COMPARABLE)
        self.assertIn("as fast as the GPU alone and the model says 1.33", found.ours)
        more = [line(role, {3: time}, threads=16) for role, time in zip("cgb", (2.0, 4.0, 1.5))]
        points = verdicts.model_points(lines + more, "c", "g", "b")
        self.assertEqual([(x, r) for x, r, _, _ in points], [(3, 0.5), (2, 1.5), (1, 3.0)])
        lines[2] = line("b", {1: 1.6, 2: 2}, noise=0.3)
        self.assertEqual(len(verdicts.model_points(lines, "c", "g", "b")), 2)
        found = verdicts.judge(("model", "c", "c", "g", "b"), FIGURE, lines)
        self.assertIn("too noisy", found.ours)

    def test_ratio_takes_the_line_with_most_threads(self):
        lines = [
            line("slow", {1: 8.0}),
            line("fast", {1: 4.0}, threads=2),
            line("fast", {1: 1.0}, threads=16),
        ]
        self.assertEqual(self.judge(("ratio", "c", "slow", "fast"), *lines), verdicts.REPRODUCED)

    def test_trend(self):
        rising = line("a", {1: 1.0, 2: 1.3})
        self.assertEqual(self.judge(("rises", "c", "a"), rising), verdicts.REPRODUCED)
        self.assertEqual(self.judge(("falls", "c", "a"), rising), verdicts.NOT_REPRODUCED)
        flat = line("a", {1: 1.0, 2: 1.1})
        self.assertEqual(self.judge(("rises", "c", "a"), flat), verdicts.NOT_REPRODUCED)
        dip = line("a", {1: 1.0, 2: 5.0, 3: 2.0})
        self.assertEqual(self.judge(("rises", "c", "a"), dip), verdicts.NOT_REPRODUCED)
        self.assertEqual(self.judge(("falls", "c", "a"), dip), verdicts.NOT_REPRODUCED)

    def test_more_threads(self):
        rule = ("more threads", "c", "t", "base")
        base, two = line("base", {1: 4.0}), line("t", {1: 2.0}, threads=2)
        self.assertEqual(self.judge(rule, base, two), verdicts.REPRODUCED)
        four = line("t", {1: 3.0}, threads=4)
        self.assertEqual(self.judge(rule, base, two, four), verdicts.NOT_REPRODUCED)
        found = verdicts.judge(rule, FIGURE, [base, two, four], 2)  # four threads on two processors
        self.assertEqual(found.verdict, verdicts.REPRODUCED)
        rule = ("no more threads", "c", "t")
        for lines, cpus, expected in (
            ([two, four], 2, verdicts.REPRODUCED),
            ([two, line("t", {1: 1.0}, threads=4)], 2, verdicts.NOT_REPRODUCED),
            ([two, four], 4, verdicts.NOT_COMPARABLE),
        ):
            self.assertEqual(verdicts.judge(rule, FIGURE, lines, cpus).verdict, expected)

    def test_crossover(self):
        rule = ("crossover", "c", "fast", ["slow"])
        slow = line("slow", {1: 1.0, 10: 1.0, 25: 1.0, 50: 1.0, 100: 1.0})
        for place, expected in (
            (1, verdicts.NOT_COMPARABLE),
            (25, verdicts.REPRODUCED),
            (50, verdicts.NOT_REPRODUCED),
            (1000, verdicts.NOT_REPRODUCED),
        ):
            times = {x: 0.5 if x >= place else 2.0 for x in slow.rows}
            self.assertEqual(self.judge(rule, line("fast", times), slow), expected)
            times[2000] = 0.5  # without a rival
            self.assertEqual(self.judge(rule, line("fast", times), slow), expected)

    def test_card(self):
        def together(*found):
            return verdicts.together([verdicts.Outcome(v, "", "") for v in found])

        self.assertEqual(together(verdicts.EXCEEDED, verdicts.REPRODUCED), verdicts.EXCEEDED)
        self.assertEqual(
            together(verdicts.EXCEEDED, verdicts.NOT_REPRODUCED), verdicts.NOT_REPRODUCED
        )
        self.assertEqual(
            together(verdicts.NOT_COMPARABLE, verdicts.REPRODUCED), verdicts.REPRODUCED
        )
        self.assertEqual(together(verdicts.NOT_COMPARABLE), verdicts.NOT_COMPARABLE)


class Papers(unittest.TestCase):
    def test_files_are_complete(self):
        found = papers.load_papers(kit.ROOT / "bench" / "papers")
        self.assertEqual(list(found), papers.PAPERS)
        for paper in found.values():
            ids = [figure["id"] for figure in paper["figures"]]
            self.assertEqual(len(ids), len(set(ids)), paper["key"])

    def test_every_measurement_has_a_card_and_every_rule_a_claim(self):
        from cards import CARDS

        found = papers.load_papers(kit.ROOT / "bench" / "papers")
        measured = {
            f"{key}/{figure['id']}"
            for key, paper in found.items()
            for figure in paper["figures"]
            if figure["kind"] in papers.MEASURED
        }
        self.assertEqual({card["figure"] for card in CARDS}, measured)
        self.assertEqual(len(CARDS), len(measured))
        for card in CARDS:
            key, figure_id = card["figure"].split("/")
            figure = next(f for f in found[key]["figures"] if f["id"] == figure_id)
            claims = {claim["id"]: claim for claim in figure["claims"]}
            for kind, claim, *arguments in card["rules"]:
                self.assertIn(claim, claims, card["figure"])
                if kind == "ratio":
                    self.assertIsNotNone(claims[claim]["value"], card["figure"])
                if kind == "crossover":
                    self.assertIn("crossover", figure)
                names = [n for a in arguments for n in (a if isinstance(a, list) else [a])]
                parts = card.get("where", {}).get("variant", PARTS)
                parts = [parts] if isinstance(parts, str) else parts
                for name in names:
                    known = [*card["roles"], *card.get("others", {}), "mean", *parts]
                    self.assertIn(name, known, card["figure"])

    def test_the_papers_have_23_figures_and_tables_with_a_measurement(self):
        found = papers.load_papers(kit.ROOT / "bench" / "papers")
        kinds = [f["kind"] for paper in found.values() for f in paper["figures"]]
        self.assertEqual((kinds.count("measurement"), kinds.count("remark")), (23, 13))


if __name__ == "__main__":
    unittest.main()
