"""The table of cards: which section of `ordo bench` measures which figure of which paper.

Edit this file when a section gets another name. A test looks up every section in the output of
`ordo-bench --list`. A card with the section None is a gap on the page: nothing measures it yet.

  figure    "paper/figure", ids of bench/papers/*.json
  question  the heading of the card
  source    subject, device and section of `ordo bench`
  where     conditions on the rows: a value, a list of values, or ("between", low, high)
  x         the field of a row that varies: p, n, k, threads, label or variant
  axis      the name of the x axis, if it is not the usual one of that field
  y         "time"; ("speed-up", ROLE): how many times as fast as ROLE; ("model", CPU, GPU, BOTH):
            the speed-up of BOTH over GPU against the ratio of the times of CPU and GPU
  least     the chart shows the least times instead of the medians; the paper's number of rounds
  others    a name in the rules to one algorithm and the conditions on its rows; not drawn
  roles     a name in the rules to the algorithms that can play it; the first one found is taken
  beside    algorithms that are drawn too, without a rule
  rules     see verdicts.py; the second entry is the id of a claim in the paper's file
  why       the reason if a rule says "not reproduced"
  notes     "file@date" of a result to what a reader must know about it
"""

RANK_GPU = {
    "hybrid": ["hybrid"],
    "shuffle": ["shuffle"],
    "naive": ["naive"],
    "sequential loop": ["sequential, host"],
}
RANK_CPU = {"sequential loop": ["sequential"], "pthreads": ["threads"]}
ROUGH = {
    "parallel Roughsort": ["rough"],
    "sequential Roughsort": ["halving, host"],
    "bubble sort": ["bubble, host"],
    "sequential merge sort": ["std::stable_sort, host"],
    "parallel merge sort": ["cub merge"],
}
HYBRID = {
    "hybrid": ["sample, hybrid"],
    "GPU alone": ["sample, cuda"],
    "CPU alone": ["sample, cpu"],
}
# The production sorts, and merge sorts of ordo and of CUB: not the paper's algorithm.
STREAMED = ["streamed, cuda", "streamed, hybrid"]
MERGE = "merge, cuda"
CUB_MERGE = "cub merge, with copies"
SHARES = (0.01, 0.55)  # the least and the largest one that sample_best_share() tries
PHASES = ["phase I", "phase II", "phase III", "phase IV"]
STARTS = ("fig3.7", "fig3.8")  # the text names an n from which on there is a gain
PHASES_N = 1 << 22  # the paper's 4 million keys
SEQUENTIAL_SORTS = ["sequential Roughsort", "bubble sort", "sequential merge sort"]
LENGTHS = ("between", 25_000, 2_000_000)  # of figures 3 and 4
OTHER_SORTS = ["parallel Roughsort", *SEQUENTIAL_SORTS]
LOOP_NOTES = {
    "emerald-rapids-16/rank/rank.json@2026-11-15": "In this file the loop and the pthreads take "
    "about twice as long as with ranks of another size; docs/performance/cpu.md says why it is "
    "likely an artefact. Both run the same loop, so their order and ratio can be compared."
}
NO_GAIN = (
    "The copies over the link, which both devices wait for, take a part of the time that a second "
    "device does not shorten; the card of Figure 4.4 shows it beside the phases."
)

TENTHS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]


def hybrid(figure, section, question, *rules, x="n", y="time", optional=(), **more):
    """A card of the hybrid paper."""
    why = {"why": NO_GAIN} if rules[0][0] == "ratio" else {}
    return {
        "figure": f"hybrid/{figure}",
        "question": question,
        "source": ("hybrid", "cpu", section),
        "x": x,
        "y": y,
        "roles": HYBRID,
        "optional": list(optional),
        "rules": list(rules),
        **why,
        **more,
    }


def hybrid_gain(figure, section, question, **more):
    """A card that shows how much faster both devices are than the GPU alone, over n."""
    rules = [("ratio", "gain", "GPU alone", "hybrid", "mean")]
    if figure in STARTS:
        rules.append(("gain from", "start", "GPU alone", "hybrid"))
    if figure == "fig3.15":
        rules.append(("ratio", "merge", "CUB's merge sort", "hybrid", "mean"))
        more["others"] = {"CUB's merge sort": (CUB_MERGE, {})}
    more.setdefault("beside", [*STREAMED, MERGE, CUB_MERGE])
    over = ("speed-up", "GPU alone")
    return hybrid(figure, section, question, *rules, y=over, optional=["CPU alone"], **more)


def hybrid_shown(figure, section, question):
    """A card of inputs for which the paper states no value."""
    rules = [
        ("over the faster", figure, ["CPU alone", "GPU alone"], "hybrid"),
        ("no value", figure, "GPU alone", "hybrid"),
    ]
    over = {"x": "label", "y": ("speed-up", "GPU alone"), "beside": STREAMED}
    return hybrid(figure, section, question, *rules, optional=["CPU alone"], **over)


def hybrid_text(figure, question, size):
    """A card of one of the two texts of the hybrid paper; `dist` has the id of the figure. A call
    reads the text and writes indices or the sorted text."""
    card = hybrid(figure, "strings", question, ("no value", "runs"), x="label")
    return {
        **card,
        "where": {"dist": figure, "bytes": ("between", size * 9 // 10, size * 22 // 10)},
        "beside": ["cpu", "cuda", "hybrid, 0 %"],
    }


def intervals():
    """A card of the splitters of the text beside the fixed number of `sample`."""
    devices = {"CPU": "cpu", "GPU": "cuda", "both": "hybrid"}
    pairs = {name: (f"{name}, 255 splitters", f"{name}, intervals") for name in devices}
    card = hybrid(
        "intervals",
        "sample-intervals",
        "What do splitters at intervals of √n cost or gain?",
        *[("no value", "intervals", *pair) for pair in pairs.values()],
    )
    roles = {}
    for name, (fixed, growing) in pairs.items():
        roles[fixed] = [f"sample, {devices[name]}"]
        roles[growing] = [f"intervals, {devices[name]}"]
    return {**card, "roles": roles}


def platforms(figure, op, what):
    """The card of a figure about platforms. A part of the multiprocessors of one GPU stands for a
    smaller GPU."""
    return hybrid(
        figure,
        "sample-platforms",
        f"Does a larger GPU sort 2²¹ {what} faster?",
        ("last is least", "platforms", "hybrid"),
        where={"op": op, "variant": "multiprocessors"},
        x="k",
        axis="multiprocessors of the GPU",
        optional=["CPU alone", "GPU alone"],
        why="The copies over the link do not depend on the size of the GPU.",
    )


def roughsort(figure, question, where, x, rules, why, **more):
    """A card of figures 3 to 6 of the Roughsort paper."""
    return {
        "figure": f"roughsort/{figure}",
        "question": question,
        "source": ("sort", "cuda", "rough"),
        "where": where,
        "x": x,
        "y": "time",
        "roles": ROUGH,
        "beside": ["auto", "windows", "insertion", "halving"],
        "rules": [*rules, ("fastest", "merge", "parallel merge sort", OTHER_SORTS)],
        "why": why,
        **more,
    }


CARDS = [
    {
        "figure": "ranking/fig6",
        "question": "How much faster do more threads rank, for every share of ties?",
        "source": ("rank", "cpu", "p"),
        "where": {"p": TENTHS},
        "x": "p",
        "y": "time",
        "least": 10,
        "roles": RANK_CPU,
        "beside": ["auto"],
        "rules": [
            ("more threads", "more-threads", "pthreads", "sequential loop"),
            ("no more threads", "no-more", "pthreads"),
        ],
        "notes": LOOP_NOTES,
    },
    {
        "figure": "ranking/fig7",
        "question": "Which GPU algorithm ranks fastest, for every share of ties?",
        "source": ("rank", "cuda", "p"),
        "where": {"p": TENTHS},
        "x": "p",
        "y": "time",
        "roles": RANK_GPU,
        "optional": ["sequential loop"],
        "beside": ["auto", "cub max scan"],
        "rules": [("order", "order", ["hybrid", "shuffle", "naive"])],
    },
    {
        "figure": "ranking/fig8",
        "question": "Do long groups of ties slow the GPU algorithms?",
        "source": ("rank", "cuda", "p"),
        "where": {"p": ("between", 0.9, 1)},
        "x": "p",
        "y": "time",
        "roles": RANK_GPU,
        "optional": ["sequential loop"],
        "beside": ["auto", "cub max scan"],
        "rules": [("order", "order", ["hybrid", "shuffle", "naive"])],
    },
    {
        "figure": "ranking/fig9",
        "question": "How does the time of threads grow with the number of keys?",
        "source": ("rank", "cpu", "n"),
        "where": {"n": ("between", 4_000_000, 128_000_000)},
        "x": "n",
        "y": "time",
        "roles": RANK_CPU,
        "beside": ["auto"],
        "rules": [("order", "order", ["pthreads", "sequential loop"])],
        "notes": LOOP_NOTES,
    },
    {
        "figure": "ranking/fig10",
        "question": "How much faster than the sequential loop are threads?",
        "source": ("rank", "cpu", "n"),
        "where": {"n": ("between", 4_000_000, 128_000_000)},
        "x": "n",
        "y": ("speed-up", "sequential loop"),
        "roles": RANK_CPU,
        "rules": [("device ratio", "speed-up", "sequential loop", "pthreads")],
        "notes": LOOP_NOTES,
    },
    {
        "figure": "ranking/fig11",
        "question": "How does the time of the GPU algorithms grow with the number of keys?",
        "source": ("rank", "cuda", "n"),
        "x": "n",
        "y": "time",
        "roles": RANK_GPU,
        "beside": ["auto", "cub max scan"],
        "rules": [("order", "order", ["hybrid", "shuffle", "naive"])],
    },
    {
        "figure": "ranking/fig12",
        "question": "How much faster than the sequential loop is a GPU?",
        "source": ("rank", "cuda", "n"),
        "x": "n",
        "y": ("speed-up", "sequential loop"),
        "roles": RANK_GPU,
        "beside": ["auto", "cub max scan"],
        "rules": [("device ratio", "speed-up", "sequential loop", "hybrid")],
    },
    hybrid(
        "fig3.5",
        "sample-phases",
        "Which phases gain from two devices?",
        ("ratio", "phase2", "GPU alone", "hybrid", ["phase II"]),
        ("ratio", "phase3", "GPU alone", "hybrid", ["phase III"]),
        ("gain below", "others", "GPU alone", "hybrid", ["phase I", "phase IV"]),
        where={"n": PHASES_N, "variant": PHASES},
        x="variant",
        y=("speed-up", "GPU alone"),
        optional=["CPU alone"],
    ),
    hybrid_gain(
        "fig3.6", "sample-keys", "Does a second device speed up the sort of uniform 32-bit keys?"
    ),
    hybrid_gain(
        "fig3.7", "sample-pairs", "Does a second device speed up the sort of 32-bit pairs?"
    ),
    hybrid_gain("fig3.8", "sample-gaussian", "Does the gain hold for Gaussian pairs?"),
    hybrid_gain("fig3.15", "sample-wide", "Does the gain hold for pairs of 64 bits?"),
    platforms("fig3.16", "sort", "keys"),
    platforms("fig3.17", "sort_pairs", "pairs"),
    hybrid(
        "fig4.4",
        "sample-phases",
        "How long does each phase take, and how long is each device idle?",
        ("at most", "gpu-idle", "hybrid", "GPU idle", "sample"),
        ("at most", "cpu-idle", "hybrid", "CPU idle", "sample"),
        where={"n": PHASES_N},
        x="variant",
        optional=["CPU alone", "GPU alone"],
        why="Each device waits for copies that the other one has not finished: the card shows the "
        "copies beside the phases.",
    ),
    hybrid_gain(
        "fig4.22",
        "sample-phases",
        "Do two devices count histograms faster than one?",
        where={"variant": "phase II"},
    ),
    hybrid(
        "shares",
        "sample-phases",
        "How short is phase I, and how long does the GPU wait in phase II?",
        ("at most", "phase1", "GPU alone", "phase I", "sample"),
        ("at most", "idle2", "hybrid", "GPU idle, phase II", "phase II"),
        where={"n": PHASES_N},
        x="variant",
        optional=["CPU alone"],
    ),
    hybrid(
        "histogram",
        "sample-phases",
        "Does a CPU count histograms faster than a GPU?",
        ("order", "cpu", ["CPU alone", "GPU alone"]),
        where={"variant": "phase II"},
        optional=["CPU alone", "hybrid"],
        why="The text explains its result by the slow atomic operations of its GPU.",
    ),
    hybrid(
        "threshold",
        "sample-threshold",
        "Which share of the keys should the CPU take?",
        ("no value", "minimum"),
        x="p",
        axis="share of the CPU",
        optional=["CPU alone", "GPU alone"],
    ),
    intervals(),
    hybrid_shown("inputs", "sample-inputs", "Do two devices gain on the paper's other inputs?"),
    hybrid_shown("gain", "sample-gain", "Do two devices gain on large inputs?"),
    {
        **hybrid(
            "production",
            "n",
            "Does the production sort gain from both devices?",
            ("no value", "gain", "GPU alone", "both devices"),
            y=("speed-up", "GPU alone"),
            optional=["CPU alone"],
        ),
        "roles": {"both devices": ["hybrid, 0 %"], "GPU alone": ["cuda"], "CPU alone": ["cpu"]},
    },
    hybrid(
        "ratio",
        "sample-platforms",
        "How does the gain depend on the speeds of the two devices?",
        ("model", "model", "CPU alone", "GPU alone", "hybrid"),
        where={"op": "sort"},
        x="label",
        axis="time of the CPU alone over time of the GPU alone",
        y=("model", "CPU alone", "GPU alone", "hybrid"),
    ),
    hybrid_text("fasta", "How long does it take to sort 650 MB of protein records?", 650_000_000),
    hybrid_text("strings", "How long does it take to sort 500 MB of random strings?", 500_000_000),
    {
        "figure": "roughsort/fig1",
        "question": "From which length on does a GPU find a small radius faster (k = 2)?",
        "source": ("radius", "cuda", "n"),
        "where": {"k": 2},
        "x": "n",
        "y": "time",
        "roles": {"sequential loop": ["sequential, host"], "GPU": ["prefix"]},
        "beside": ["auto", "scans", "cub scan, search"],
        "rules": [("crossover", "gpu-wins", "GPU", ["sequential loop"])],
        "why": "The crossover depends on the time of a kernel launch against that of the loop.",
    },
    {
        "figure": "roughsort/fig2",
        "question": "Does a CPU find a larger radius faster than a GPU (k = 100)?",
        "source": ("radius", "cuda", "n"),
        "where": {"k": 100},
        "x": "n",
        "y": "time",
        "roles": {"sequential loop": ["sequential, host"], "GPU": ["prefix"]},
        "beside": ["auto", "scans", "cub scan, search"],
        "rules": [("order", "cpu-wins", ["sequential loop", "GPU"])],
        "why": "Doubling needs a number of rounds that grows with log k, and a round is short on "
        "this GPU.",
    },
    roughsort(
        "fig3",
        "Which algorithm sorts nearly sorted keys fastest (k = 2)?",
        {"k": 2, "n": LENGTHS},
        "n",
        [
            ("device ratio", "streams", "Thrust in streams", "sequential Roughsort, short"),
            ("order", "halving", ["sequential Roughsort", "sequential merge sort"]),
            ("order", "bubble", ["bubble sort", "sequential Roughsort"]),
        ],
        "The order of the sequential sorts depends on the compiler and the processor.",
        others={
            "Thrust in streams": ("thrust streams", {"k": 2}),
            "sequential Roughsort, short": ("halving, host", {"k": 2, "n": ("between", 1, 4000)}),
        },
    ),
    roughsort(
        "fig4",
        "Which algorithm sorts k-sorted keys fastest (k = 15)?",
        {"k": 15, "n": LENGTHS},
        "n",
        [
            ("order", "parallel", ["parallel Roughsort", "sequential Roughsort"]),
            ("mostly", "bubble", "parallel Roughsort", "bubble sort"),
            ("order", "evaporates", ["sequential merge sort", "sequential Roughsort"]),
            ("ratio", "ten", "parallel Roughsort, k = 2", "parallel Roughsort", "mean"),
        ],
        "A launch of many threads costs this GPU little, so that longer segments take longer.",
        others={
            "parallel Roughsort, k = 2": ("rough", {"k": 2, "n": LENGTHS}),
        },
    ),
    roughsort(
        "fig5",
        "From which radius on does the GPU win (n = 750,000)?",
        {"n": 750_000},
        "k",
        [("crossover", "crossover", "parallel Roughsort", SEQUENTIAL_SORTS)],
        "At the smallest radii the segments are sorted in fewer reads of the keys than a merge "
        "sort needs, which reads all keys once for each level.",
    ),
    roughsort(
        "fig6",
        "From which radius on does the GPU win (n = 1,250,000)?",
        {"n": 1_250_000},
        "k",
        [("crossover", "crossover", "parallel Roughsort", SEQUENTIAL_SORTS)],
        "At the smallest radii the segments are sorted in fewer reads of the keys than a merge "
        "sort needs, which reads all keys once for each level.",
    ),
    {
        "figure": "median/table2",
        "question": "Which sub-array size is best for a median by bitonic sort?",
        "source": ("select", "cuda", "paper"),
        "x": "k",
        "axis": "keys of a sub-array",
        "y": "time",
        "roles": {"parallel part": ["parallel"], "sequential part": ["sequential"]},
        "beside": ["bitonic", "merge", "auto"],
        "rules": [
            ("rises", "parallel-rises", "parallel part"),
            ("falls", "merge-falls", "sequential part"),
        ],
        "why": "The paper's kernel gives all elements of a sub-array to ever fewer threads in its "
        "later phases; `merge` keeps all threads busy.",
    },
    {
        "figure": "ballot/scan",
        "question": "Does counting ballots beat a scan in shared memory?",
        "source": ("scan", "cuda", "block"),
        "where": {"variant": "flags"},
        "x": "label",
        "y": "time",
        "roles": {
            "ballot scan": ["ballot"],
            "shared-memory scan": ["shared"],
        },
        "others": {
            "ballot scan of words": ("ballot", {"variant": "words"}),
            "shared-memory scan of words": ("shared", {"variant": "words"}),
        },
        "beside": ["shuffle"],
        "rules": [
            ("order", "order", ["ballot scan", "shared-memory scan"]),
            ("order", "words", ["shared-memory scan of words", "ballot scan of words"]),
        ],
    },
    {
        "figure": "ballot/whole",
        "question": "How much of that is left in the scan of a whole array?",
        "source": ("scan", "cuda", "poster"),
        "where": {"op": "scan_bits"},
        "x": "label",
        "y": "time",
        "roles": {
            "ballot scan": ["ballot"],
            "shared-memory scan": ["shared"],
        },
        "others": {
            "ballot scan of words": ("ballot", {"op": "sum"}),
            "shared-memory scan of words": ("shared", {"op": "sum"}),
        },
        "beside": ["auto"],
        "rules": [
            ("no value", "order", "shared-memory scan", "ballot scan"),
            ("no value", "words", "shared-memory scan of words", "ballot scan of words"),
        ],
    },
    {
        "figure": "ballot/sort",
        "question": "How much does counting ballots speed up a radix sort?",
        "source": ("sort", "cuda", "split"),
        "x": "n",
        "y": ("speed-up", "split by shared memory"),
        "roles": {
            "split by ballots": ["split, ballot"],
            "split by shared memory": ["split, shared"],
        },
        "beside": [
            "ballot, 1 key",
            "shared, 1 key",
            "ballot, 16 keys",
            "shared, 16 keys",
            "split",
            "global",
        ],
        "rules": [("ratio", "gain", "split by shared memory", "split by ballots", "mean")],
        "why": "A pass of 4 bits also counts digits, scans the counts and moves the keys, which "
        "takes the same time with both scans.",
    },
]
