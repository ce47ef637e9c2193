"""The page and the table: balance, ids, links, escaping, damaged input; the kept files."""

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import unittest
import unittest.mock
from urllib.parse import unquote

import charts
import kit
from beside import SHOWN
from cards import CARDS
from sources import kernels_of
from stats import TIMES


def load_main():
    path = kit.ROOT / "bench" / "report" / "__main__.py"
    spec = importlib.util.spec_from_file_location("report_main", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


main = load_main()
build = main.build
HOSTILE = "</script><script>alert(1)</script><b a='\"&"


def made_up(card, section, algorithm, number):
    """Rows of one algorithm that pass the conditions of a card, at two or three x."""
    where = dict(card.get("where", {}))
    limits = where.pop(card["x"], None)
    fixed = {n: w[1] if isinstance(w, tuple) else w for n, w in where.items()}
    places = {"p": [0.9, 1], "n": [1000, 250_000], "k": [16, 64, 256], "threads": [1, 2]}
    time = (1 + number) * 1e-3
    if isinstance(limits, tuple):
        limits = limits[1:]
    for place in limits or places.get(card["x"], ["first", "second"]):
        fields = {**fixed, card["x"]: place, "section": section, "algorithm": algorithm}
        yield kit.row(seconds=[time, time, time], **fields)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.html, cls.table, cls.problems = build(kit.ROOT / "bench" / "results")
        cls.results = main.load(kit.ROOT / "bench" / "results")
        cls.papers = main.load_papers(kit.ROOT / "bench" / "papers")

    def test_kept_results_are_sound(self):
        self.assertEqual(self.problems, [])

    def test_kept_page_and_table_are_current(self):
        for name, built in (("report.html", self.html), ("papers.md", self.table)):
            kept = (kit.ROOT / "docs" / name).read_text(encoding="utf-8")
            self.assertTrue(kept == built, f"docs/{name} is not current; run: make report")

    def test_same_input_gives_the_same_bytes(self):
        again, table, _ = build(kit.ROOT / "bench" / "results")
        self.assertTrue(again == self.html and table == self.table)

    def test_picture_of_the_readme(self):
        picture = (kit.ROOT / "docs" / "report.png").read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertLess(len(picture), 200_000)

    def test_size(self):
        self.assertLess(len(self.html.encode("utf-8")), 3_000_000)

    def check_has(self, html, words, wanted=True):
        """Like assertIn and assertNotIn, but a failure does not print the page."""
        self.assertEqual(words in html, wanted, words)

    def check(self, html):
        found = kit.parse(html)
        self.assertEqual((found.stack, found.wrong), ([], []))
        twice = sorted({name for name in found.ids if found.ids.count(name) > 1})
        self.assertEqual(twice, [])
        self.assertEqual(found.sources, [])
        for link in found.links:
            if link.startswith("#"):
                self.assertIn(link[1:], found.ids)
            else:
                self.assertTrue(link.startswith("data:text/csv;"), link[:60])
        self.assertEqual(found.tags["script"], 1)
        self.check_has(html, "default-src 'none'")
        self.check_has(html, "@import", False)
        self.check_has(html, "url(", False)
        return found

    def test_page_is_well_formed_and_requests_nothing(self):
        self.check(self.html)

    def test_every_card_is_on_the_page(self):
        for card in CARDS:
            name = card["figure"].replace("/", "-").replace(".", "-")
            self.check_has(self.html, f'id="{name}"')

    def test_rows_older_than_their_kernels_are_marked(self):
        for card in main.build_cards(CARDS, self.papers, self.results):
            article = self.html.split(f'id="{card.id}"')[1].split("</article>")[0]
            shown = '<span class="badge stale">' in article
            self.assertEqual(shown, bool(card.stale), card.id)
            if card.document is not None:
                current = card.document.kernels == kernels_of(card.paper["key"])
                self.assertEqual(shown, not current, card.id)

    def test_stale_rows(self):
        """A file with the hash of the present kernels is current, one with another hash is not."""
        rows = [
            kit.row(algorithm=name, seconds=[t, t, t])
            for name, t in (("hybrid", 1.0), ("shuffle", 2.0), ("naive", 3.0))
        ]
        kernels = kernels_of("ranking")
        for given, stale in ((kernels, False), ("0123", True), (None, True)):
            html, table, _ = self.build(rank=kit.document(rows, paper="ranking", kernels=given))
            article = html.split('id="ranking-fig7"')[1].split("</article>")[0]
            self.assertEqual("scripts/measure --paper ranking" in article, stale)
            line = next(w for w in table.splitlines() if w.startswith("| Figure 7: execution"))
            self.assertEqual("Stale" in line, stale)

    def test_list_of_stale_rows(self):
        """paper.py stale lists figures without rows and those with older ones."""
        import paper

        rows = [kit.row(algorithm=name) for name in ("hybrid", "shuffle", "naive")]
        for kernels, listed in ((kernels_of("ranking"), False), ("0123", True)):
            words = io.StringIO()
            document = kit.document(rows, paper="ranking", kernels=kernels)
            with kit.Folder(rank=document) as folder, contextlib.redirect_stdout(words):
                self.assertEqual(paper.main(["paper.py", "stale", folder]), 1)
            lines = words.getvalue().splitlines()
            changed = [w for w in lines if "the kernels changed" in w]
            self.assertEqual(bool(changed), listed)
            self.assertTrue(any(w.startswith("median: Table 2: `ordo bench select") for w in lines))

    def test_a_file_of_the_paper_comes_before_a_newer_one(self):
        rows = [kit.row(algorithm=name) for name in ("hybrid", "shuffle", "naive")]
        ours = kit.document(rows, paper="ranking", date="2026-01-01T00:00:00Z")
        other = kit.document(rows, paper="median", date="2026-01-03T00:00:00Z")
        newer = kit.document(rows, date="2026-01-02T00:00:00Z")
        _, table, _ = self.build(ours=ours, newer=newer, other=other)
        line = next(w for w in table.splitlines() if w.startswith("| Figure 7: execution"))
        self.assertIn("subject/ours.json", line)

    def test_a_card_prints_the_command_that_made_its_rows(self):
        rows = [kit.row(algorithm=name) for name in ("hybrid", "shuffle", "naive")]
        made = "ordo bench rank --device cuda --only p -n 5e6 --repeat 3"
        for commands, printed in (
            ({"commands": ["ordo bench rank --device cuda --only n", made]}, made),
            ({"command": made}, made),
            ({}, "ordo bench rank --device cuda --only p -n 128e6 --repeat 7"),
        ):
            html, table, _ = self.build(rank=kit.document(rows, paper="ranking", **commands))
            article = html.split('id="ranking-fig7"')[1].split("</article>")[0]
            self.assertIn(f"{printed} --json rank.json", article)
            line = next(w for w in table.splitlines() if w.startswith("| Figure 7: execution"))
            self.assertIn(f"`{printed} --json rank.json`", line)

    def test_the_share_of_the_cpu_and_the_edge_of_its_search(self):
        def card(shares):
            rows = []
            for n, share in shares.items():
                same = {"section": "sample-keys", "op": "sort", "n": n, "p": None}
                rows.append(kit.row(**same, algorithm="sample, cuda"))
                rows.append(kit.row(**same, algorithm="sample, hybrid", share=share))
            document = kit.document(rows, benchmark="hybrid", device=None, paper="hybrid")
            html, _, problems = self.build(hybrid=document)
            self.assertEqual(problems, [])
            return html.split('id="hybrid-fig3-6"')[1].split("</article>")[0]

        article = card({1000: 0.06, 4000: 0.3})
        self.assertIn("the best one found, 0.06 to 0.3; tried from 0.01 to 0.55.", article)
        self.assertNotIn("At the edge", article)
        self.assertIn("At the edge of what was tried: 4k.", card({1000: 0.06, 4000: 0.55}))
        self.assertNotIn("Share of the CPU:", card({1000: None}))

    def test_cases_are_named_by_what_differs(self):
        """Long names are in several lines, so that every place has its label."""
        rows = []
        for case in (
            "uniform u32 keys 2^28, pinned",
            "uniform u32 keys 2^26",
            "zipf u32 keys 2^24",
        ):
            same = {"section": "sample-gain", "label": case, "op": "sort", "p": None}
            rows += [kit.row(**same, algorithm=f"sample, {on}") for on in ("cuda", "hybrid")]
        html, _, _ = self.build(hybrid=kit.document(rows, benchmark="hybrid", device=None))
        article = html.split('id="hybrid-gain"')[1].split("</svg>")[0]
        for words in (">uniform 2^28, pinned<", ">uniform 2^26<", ">zipf 2^24<"):
            self.assertIn(words, article)
        self.assertEqual(
            charts.wrapped("u32 keys 2^28, pinned", 60), ["u32 keys", "2^28,", "pinned"]
        )
        self.assertEqual(charts.wrapped("incomparable words", 40), ["incomparable words"])

    def test_least_times(self):
        """The chart of Figure 6 shows the least of all rounds, as the paper does."""
        rows = [
            kit.row(algorithm=name, threads=threads, seconds=[0.003, 0.002, 0.004])
            for name, threads in (("sequential", 1), ("threads", 2))
        ]
        html, _, _ = self.build(rank=kit.document(rows, device=None))
        article = html.split('id="ranking-fig6"')[1].split("</figure>")[0]
        self.assertIn("pthreads, 0.5: 2 ms, the least of 3", article)
        self.assertIn("The least of 3 rounds; the paper shows that of 10.", article)

    def test_statements_of_a_text_are_listed(self):
        """Checkpoints for "scalable and fault-tolerant" are visible without opening a table."""
        part = self.html.split('id="paper-hybrid"')[1].split('id="paper-roughsort"')[0]
        folded = re.sub(r"<details>.*?</details>", "", part, flags=re.DOTALL)
        self.assertIn("ordo-mpi sort --checkpoint DIR --resume", folded)

    def test_gpu_charts_name_the_gpu(self):
        card = self.html.split('id="ranking-fig7"')[1].split("</article>")[0]
        self.assertIn("NVIDIA H200", card.split("<figcaption>")[1].split("</figcaption>")[0])
        self.assertNotIn("1 thread", card)

    def test_csv_has_every_row(self):
        packed = re.search(r'href="data:text/csv;charset=utf-8,([^"]*)"', self.html)[1]
        lines = unquote(packed).splitlines()
        shown = re.search(r"([\d,]+) rows</a>", self.html)[1].replace(",", "")
        self.assertEqual(len(lines) - 1, int(shown))

    def test_every_card_can_be_drawn(self):
        cards, rows = [], {}
        for place, card in enumerate(CARDS):
            subject, device, _ = card["source"]
            section = f"made up {place}"
            cards.append({**card, "source": (subject, device, section)})
            found = rows.setdefault((subject, device), [])
            for number, names in enumerate(card["roles"].values()):
                found += made_up(card, section, names[0], number)
        documents = {
            f"{subject}_{device}": kit.document(
                found, benchmark=subject, device=None if device == "cpu" else "A GPU"
            )
            for (subject, device), found in rows.items()
        }
        with unittest.mock.patch.object(main, "CARDS", cards):
            html, _, problems = self.build(**documents)
        self.assertEqual(problems, [])
        found = self.check(html)
        self.check_has(html, 'class="card gap"', False)
        for card in CARDS:
            name = card["figure"].replace("/", "-").replace(".", "-")
            self.assertIn(f"{name}-wide", found.ids)

    def build(self, **files):
        with kit.Folder(**files) as folder:
            return build(folder)

    def test_empty_folder(self):
        html, _, problems = self.build()
        self.check(html)
        self.assertEqual(len(problems), 1)
        self.assertEqual(html.count('class="card gap"'), len(CARDS))

    def test_one_row(self):
        html, _, problems = self.build(rank=kit.document([kit.row()]))
        self.check(html)
        self.assertEqual(problems, [])
        self.check_has(html, "lacks: hybrid, shuffle, naive")

    def test_tiles_show_the_measured_size(self):
        rows = [
            kit.row(algorithm=name, peer=peer, section="types", label="u32", op="sort", n=4096)
            for name, peer in (("auto", False), ("cub radix", True))
        ]
        html, _, _ = self.build(sort=kit.document(rows, benchmark="sort"))
        self.check_has(html, "sort of 2¹² u32 keys on the GPU")
        self.check_has(html, "median of f32 keys; CUB has no selection and sorts")

    def test_libraries_of_the_first_table(self):
        """The kept results have the named row of every library; others are marked as gaps."""
        first = self.html.split('id="answer"')[1].split('id="papers"')[0]
        for library, *_ in SHOWN:
            self.check_has(first, f'<th scope="row">{library}</th>')
        self.check_has(first, "not measured", False)
        raw = {"section": "gpu", "name": "sort", "seconds": {"ordo": 1.0, "torch": 0.5}}
        html, _, _ = self.build(python={"machine": {}, "rows": [raw]})
        first = html.split('id="answer"')[1].split('id="papers"')[0]
        self.check_has(first, f'<td class="lost r">0.5 {TIMES}</td>')
        self.check_has(first, '<td class="lost r">1 of 1</td>')
        self.assertEqual(first.count("not measured"), len(SHOWN) - 1)

    def test_what_is_not_reproduced_is_as_large_as_the_rest(self):
        part = self.html.split('id="papers"')[1].split('id="points"')[0]
        for verdict in ("reproduced", "not reproduced"):
            self.assertRegex(
                part, rf'<strong>\d+ of 23</strong><span class="what">[a-z ]* are {verdict}</span>'
            )

    def test_fewer_threads_of_a_peer_and_one_round_are_named(self):
        rows = [
            kit.row(section="suffix", label="a", threads=4, seconds=[1.0]),
            kit.row(section="suffix", label="a", algorithm="x", peer=True, seconds=[2.0]),
        ]
        html, _, _ = self.build(text=kit.document(rows, benchmark="text", device=None))
        self.check_has(html, "ordo uses 4 threads, the other library 1: not like for like.")
        self.check_has(html, "One round, so the spread is not known.")

    def points(self):
        """Two types of keys; ordo is ahead, level and behind; a peer with fewer threads wins."""
        times = {"ahead": (1.0, 2.0), "level": (1.0, 0.98), "behind": (1.0, 0.5)}
        rows = []
        for type_ in ("u32", "f32", "u64"):
            for dist, (ours, peer) in times.items():
                same = {"section": "distributions", "label": f"{dist} {type_}", "dist": dist}
                same.update(op="sort", type=type_, p=None)
                rows.append(kit.row(**same, threads=2, seconds=[ours] * 3))
                rows.append(
                    kit.row(**same, algorithm="vqsort", peer=True, threads=1, seconds=[peer] * 3)
                )
        return kit.document(rows, benchmark="sort", device=None, threads=2)

    def test_points(self):
        html, _, problems = self.build(sort=self.points())
        self.check(html)
        self.assertEqual(problems, [])
        row = re.search(r'<th scope="row">machine</th><td>sort</td>(.*?)</tr>', html)[1]
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", row)
        self.assertEqual(cells[:5], ["9", "3", "3", "3", f"0.5 {TIMES}"])
        self.assertEqual(cells[5], "distributions behind u32, vqsort, 1 thread")
        table = html[html.index("Speed of ordo relative to the best other library") :]
        self.check_has(table[:1500], '<th scope="col" class="r">u64</th>')
        self.check_has(table[:1500], f'<td class="lost r">0.5 {TIMES}</td>')
        self.check_has(html[html.index('id="limits"') :], "vqsort, 1 thread")

    def test_texts_have_a_part_of_their_own(self):
        """Texts and bzip2 count bytes, searches count patterns; they are not among other peers."""
        rows = [
            kit.row(algorithm=name, peer=peer, section=section, label="english", k=k, n=5000)
            for section, k in (("suffix", None), ("search", 800))
            for name, peer in (("auto", False), ("a library", True))
        ]
        packed = [
            kit.row(algorithm=name, peer=peer, section="compress", label="a file", n=7000)
            for name, peer in (("auto", False), ("a program", True))
        ]
        html, _, problems = self.build(
            text=kit.document(rows, benchmark="text", device=None),
            bzip2=kit.document(packed, benchmark="bzip2", device=None),
        )
        self.check(html)
        self.assertEqual(problems, [])
        begin, end = html.index('id="text"'), html.index('id="limits"')
        for words in ("suffix arrays", "patterns per second", "bytes per second", "bench/bzip2.py"):
            self.check_has(html[begin:end], words)
            self.check_has(html[:begin], words, False)

    def test_bzip2_on_a_gpu(self):
        """The last table of bzip2_gpu.txt is on the page; damaged rows end it."""
        row = kit.document([kit.row()])
        head = "| file | cpu | cuda | cuda / cpu |\n|---|---|---|---|\n"
        words = (
            f"{head}| old | 1.0 | 9.0 | 9 |\n\n{head}| a <text> | 100.0 | 250.0 | 2.5 |\n| x |\n"
        )
        with kit.Folder(rank=row) as folder:
            (folder / "machine" / "text").mkdir()
            path = folder / "machine" / "text" / "bzip2_gpu.txt"
            path.write_text(words, encoding="utf-8")
            html, _, _ = build(folder)
        self.check(html)
        part = html.split('id="bzip2-gpu"')[1].split("</table>")[0]
        self.assertIn("a &lt;text&gt;", part)
        self.assertIn(f'<td class="r">2.5 {TIMES}</td>', part)
        self.assertNotIn("old", part)
        self.check_has(self.html, 'id="bzip2-gpu"')

    def test_hostile_names(self):
        rows = [
            kit.row(algorithm=name, label=HOSTILE, peer=peer, type=HOSTILE, op=HOSTILE)
            for name, peer in (("auto", False), (HOSTILE, True))
        ]
        rows += [kit.row(algorithm="=1+1", section=HOSTILE)]
        names = {"cpu": HOSTILE, "cpus": 1, "isa": HOSTILE}
        types = [dict(r, section="types") for r in rows[:2]]
        html, _, problems = self.build(
            rank=kit.document(rows + types, device=HOSTILE, machine=names),
            bad='{"benchmark": "' + HOSTILE,
        )
        self.check(html)
        self.check_has(html, "<script>alert", False)
        self.check_has(html, "<b a=", False)
        self.assertEqual(len(problems), 1)
        packed = re.search(r'charset=utf-8,([^"]*)"', html)[1]
        self.assertIn("'=1+1", unquote(packed))

    def test_damaged_rows_are_a_visible_gap(self):
        rows = [
            kit.row(algorithm=name, seconds=[t, t, t])
            for name, t in (("hybrid", 1.0), ("shuffle", 2.0), ("naive", 3.0))
        ]
        html, _, _ = self.build(rank=kit.document(rows))
        self.check_has(html, '<svg class="chart wide" id="ranking-fig7-wide"')
        rows[1]["seconds"] = [2.0, -2.0, 2.0]
        html, _, problems = self.build(rank=kit.document(rows))
        self.check_has(html, 'id="ranking-fig7-wide"', False)
        self.check_has(html, "lacks: shuffle")
        self.check_has(html, "1 problems in the result files")
        self.assertEqual(len(problems), 1)

    def test_rows_with_other_numbers_of_rounds(self):
        rows = [
            kit.row(section="sample-keys", algorithm=f"sample, {name}", seconds=[1.0] * rounds)
            for name, rounds in (("hybrid", 3), ("cuda", 2), ("cpu", 1))
        ]
        html, _, _ = self.build(hybrid=kit.document(rows, benchmark="hybrid", device=None))
        self.check(html)
        self.check_has(html, 'id="hybrid-fig3-6-wide"', False)
        self.check_has(html, "too noisy for a verdict")

    def test_the_merge_sort_of_figure_3_15_is_that_of_cub(self):
        def article(**seconds):
            rows = []
            for name, time in seconds.items():
                words = name.replace("_", ", ")
                same = {"section": "sample-wide", "op": "sort_pairs", "p": None}
                rows.append(kit.row(algorithm=words, seconds=[time] * 3, **same))
            rows.append(kit.row(algorithm="merge, cuda", seconds=[9.0] * 3, **same))
            if "sample_cpu" in seconds:
                more = {"algorithm": "cub merge, with copies", "peer": True}
                rows.append(kit.row(seconds=[1.2] * 3, **more, **same))
            document = kit.document(rows, benchmark="hybrid", device=None, paper="hybrid")
            html, _, problems = self.build(hybrid=document)
            self.assertEqual(problems, [])
            return html.split('id="hybrid-fig3-15"')[1].split("</article>")[0]

        without = article(sample_cuda=1.0, sample_hybrid=1.0)
        self.check_has(without, "no row is of CUB&#x27;s merge sort")
        found = article(sample_cuda=1.0, sample_hybrid=1.0, sample_cpu=1.0)
        self.check_has(found, f"hybrid: 1.2 {TIMES} as fast as CUB&#x27;s merge sort")

    def test_ten_thousand_rows(self):
        rows = []
        for i in range(5000):
            t = 1e-3 * (1 + i % 7)
            for name, peer in (("auto", False), ("cub radix", True)):
                rows.append(
                    kit.row(
                        section="types",
                        label=f"input {i}",
                        algorithm=name,
                        peer=peer,
                        seconds=[t, t, t],
                    )
                )
        html, _, problems = self.build(rank=kit.document(rows))
        self.check(html)
        self.assertEqual(problems, [])
        self.check_has(html, "more rows are in the download")


class Sections(unittest.TestCase):
    def test_every_algorithm_of_a_card_is_in_the_benchmark(self):
        folder = kit.ROOT / "bench"
        files = [p for p in folder.rglob("*") if p.suffix in (".c", ".h", ".cu", ".cpp")]
        source = "\n".join(path.read_text(encoding="utf-8") for path in files)
        for card in CARDS:
            for name in [n for names in card["roles"].values() for n in names]:
                self.assertTrue(f'"{name}"' in source, f"{card['figure']}: {name}")
            for name in card.get("beside", ()):
                self.assertTrue(f'"{name}"' in source, f"{card['figure']}: {name}")

    def test_every_section_of_a_card_exists(self):
        program = os.environ.get("ORDO_BENCH")
        if not program:
            self.skipTest("ORDO_BENCH names no program")
        listed = subprocess.run(
            [*program.split(), "--list"], stdout=subprocess.PIPE, check=True, encoding="utf-8"
        ).stdout.splitlines()
        self.assertGreater(len(listed), 20)
        for card in CARDS:
            subject, device, section = card["source"]
            if section is not None:
                self.assertIn(f"{subject} {device} {section}", listed, card["figure"])


if __name__ == "__main__":
    unittest.main()
