"""What the benchmarks of the Python package share: measures calls, prints and counts the rows."""

from __future__ import annotations

import importlib
import os
import time
from typing import Any, Callable

import ordo

LEVEL = 0.97  # from this ratio to 1 / LEVEL, ordo and another library are level
Call = Callable[[], Any]
Subject = tuple  # a name, ordo's call, and the calls of other libraries by their names


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cpus() -> int:
    return len(os.sched_getaffinity(0))


class Bench:
    """Measures subjects, prints a row for each, and keeps the rows for the JSON file."""

    def __init__(self, repeat: int, only: list[str], shapes: list[tuple[int, ...]]) -> None:
        self.repeat = repeat
        self.only = only
        self.shapes = shapes
        self.rows: list[dict[str, Any]] = []

    def least(self, call: Call, wait: Call | None = None) -> float:
        """Returns the seconds of the fastest of several calls, after a first call."""
        times = []
        for _ in range(self.repeat + 1):
            start = time.perf_counter()
            call()
            if wait:
                wait()
            times.append(time.perf_counter() - start)
        return min(times[1:])

    def run(
        self,
        section: str,
        subjects: list[Subject],
        installed: dict[str, Any],
        *,
        threads: tuple[int, ...] = (),
        wait: Call | None = None,
        scale: int = 1,
    ) -> None:
        """Measures subjects, with each number of `threads`. `scale` calls are one measurement."""
        for name, call, peers in subjects:
            if self.only and not any(name.startswith(start) for start in self.only):
                continue
            seconds = {}
            if not threads:
                seconds["ordo"] = self.least(call, wait) / scale
            for count in threads:
                with ordo.context(threads=count, device="cpu"):
                    seconds[f"ordo/{count}"] = self.least(call, wait) / scale
            mine = list(seconds)
            for who, peer in peers.items():
                if installed[who] is not None:
                    seconds[who] = self.least(peer, wait) / scale
            best = min((seconds[who] for who in seconds if who not in mine), default=None)
            self._add(section, name, seconds, {who: best / seconds[who] for who in mine if best})

    def _add(self, section: str, name: str, seconds: dict, ratios: dict) -> None:
        self.rows.append({"section": section, "name": name, "seconds": seconds, "ratios": ratios})
        unit, factor = ("us", 1e6) if section in ("overhead", "sizes") else ("ms", 1e3)
        cells = [f"{who} {value * factor:.2f} {unit}" for who, value in seconds.items()]
        times = " ".join(f"{ratio:.1f}x" for ratio in ratios.values())
        print(f"{name:24} {times:>14}   " + ", ".join(cells), flush=True)


def scores(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each section the points ahead and behind, and the worst point. A point is a row with one
    number of threads of ordo; its ratio is the time of the fastest other library over ordo's."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        seconds, ratios = row["seconds"], row["ratios"]
        others = [who for who in seconds if who not in ratios]
        for who, ratio in ratios.items():
            start = {"score": row["section"], "points": 0, "ahead": 0, "behind": 0}
            score = found.setdefault(row["section"], start)
            score["points"] += 1
            score["ahead"] += ratio > 1 / LEVEL
            score["behind"] += ratio < LEVEL
            if ratio < score.get("worst_ratio", float("inf")):
                peer = min(others, key=seconds.get)
                score.update(
                    worst_ratio=ratio, worst_label=f"{row['name']}, {who}", worst_peer=peer
                )
    return list(found.values())


def print_scores(rows: list[dict[str, Any]]) -> None:
    print(f"\nTime of the fastest other library over ordo's; level is {LEVEL} to {1 / LEVEL:.2f}")
    for score in scores(rows):
        level = score["points"] - score["ahead"] - score["behind"]
        print(
            f"{score['score']}: {score['points']} points: {score['ahead']} ahead, {level} level, "
            f"{score['behind']} behind; worst ratio {score['worst_ratio']:.2f}: "
            f"{score['worst_label']}, {score['worst_peer']}"
        )


def repeated(call: Call, many: int) -> Call:
    def run() -> None:
        for _ in range(many):
            call()

    return run
