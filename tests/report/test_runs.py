"""The runs of the papers: their commands, the rows that they make, and what they tried."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import kit
import papers
import results
import runs
from test_data import PARTS


class Searches(unittest.TestCase):
    """What the page says of the share of the CPU."""

    def test_the_shares_are_those_of_the_benchmark(self):
        from cards import SHARES

        path = kit.ROOT / "bench" / "subjects" / "bench_hybrid_sample.c"
        body = path.read_text(encoding="utf-8").split("double sample_best_share(", 1)[1]
        listed = re.search(r"shares\[\] = \{([^}]*)\}", body)[1]
        tried = [float(word) for word in listed.split(",")]
        self.assertEqual((min(tried), max(tried)), SHARES)

    def test_parts_of_a_call_are_those_of_the_benchmark(self):
        path = kit.ROOT / "bench" / "subjects" / "bench_hybrid_sample.c"
        body = (
            path.read_text(encoding="utf-8").split("part_names[PARTS] = {", 1)[1].split("}", 1)[0]
        )
        self.assertLessEqual(set(PARTS) - {"sample"}, set(re.findall(r'"([^"]*)"', body)))


class Runs(unittest.TestCase):
    """The commands of the page make the rows of the page."""

    def test_every_card_has_a_run(self):
        from cards import CARDS

        wanted = {(card["figure"].split("/")[0], tuple(card["source"])) for card in CARDS}
        made = {(key, run[:3]) for key, listed in runs.RUNS.items() for run in listed}
        self.assertLessEqual(wanted, made)

    def test_kept_files_of_papers_have_the_rows_of_their_commands(self):
        kept = [d for d in results.load(kit.ROOT / "bench" / "results").documents if d.paper]
        for document in kept:
            listed = [
                run
                for run in runs.RUNS[document.paper]
                if run[:2] == (document.subject, document.device)
            ]
            commands = {runs.command_of(run): run for run in listed}
            self.assertLessEqual(set(document.commands), set(commands), document.file)
            for command, (*_, section, options) in commands.items():
                if command not in document.commands:  # not measured yet
                    self.assertEqual(document.section(section), [], f"{document.file}: {section}")
                    continue
                rounds = int(re.search(r"--repeat (\d+)", options)[1])
                counts = {row.time.count for row in document.section(section)}
                self.assertEqual(counts, {rounds}, f"{document.file}: {section}")

    def measure(self, program, run, folder):
        """The rows of a run at a small size; None if there is no such device."""
        path = Path(folder) / "machine" / "subject" / "x.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        command = runs.command_of((*run[:3], "-n 10000 --repeat 1")).split()[2:]
        call = [*program.split(), *command, "--json", str(path)]
        done = subprocess.run(call, capture_output=True, encoding="utf-8", check=False)
        if done.returncode != 0 and runs.needs_gpu(run) and "libordo_cuda" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        found = results.load(folder)
        self.assertEqual(found.problems, [])
        return found.documents[0].rows

    def check(self, card, rows):
        """The rows have every series of the card, each at the same places."""
        where = {k: v for k, v in card.get("where", {}).items() if k not in ("n", "bytes")}
        mine = [row for row in rows if papers.allowed(row, where)]
        gpu = any(row.algorithm.endswith((", cuda", ", hybrid")) for row in rows)
        on_cpu = card["source"][0] != "hybrid" or gpu
        places = []
        for role, names in card["roles"].items():
            alone = role == "CPU alone" and "multiprocessors" not in where.values()
            if role in card.get("optional", ()) or not (on_cpu or alone):
                continue
            found = {getattr(row, card["x"]) for row in mine if row.algorithm in names}
            self.assertTrue(found, f"{card['figure']}: {role}")
            places.append(found)
            if isinstance(card.get("where", {}).get(card["x"]), list):
                self.assertEqual(found, set(card["where"][card["x"]]), card["figure"])
        if card["x"] != "threads":
            self.assertTrue(all(found == places[0] for found in places), card["figure"])

    def test_printed_commands_make_the_series_of_the_cards(self):
        from cards import CARDS

        program = os.environ.get("ORDO_BENCH")
        if not program:
            self.skipTest("ORDO_BENCH names no program")
        checked = 0
        with tempfile.TemporaryDirectory() as folder:
            for key, listed in runs.RUNS.items():
                for run in listed:
                    rows = self.measure(program, run, folder)
                    for card in CARDS if rows is not None else ():
                        if card["figure"].startswith(f"{key}/") and card["source"] == run[:3]:
                            self.check(card, rows)
                            checked += 1
        self.assertGreater(checked, 10)


if __name__ == "__main__":
    unittest.main()
