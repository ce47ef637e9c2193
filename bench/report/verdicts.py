"""Rules that compare a measured figure with the claims of a paper.

Only ratios, orders, trends and crossovers are compared, because they can survive a change of
hardware; times cannot. A rule looks at every point of its lines. A value counts as reproduced
within a factor of 1.25 of the paper's value. For a speed-up below 2 the gain is compared, which is
the speed-up minus 1. A better value is exceeded only if both sides of the ratio ran on the same
devices. If they ran on different ones, as a GPU and a core of a CPU, a value outside of the factor
says something about the hardware: it is not comparable, and the time over that of a copy is shown.
A comparison must give the same verdict at both quartiles of the rounds; otherwise the rows are too
noisy for a verdict. The rules of a card:

  ("order", claim, [roles])         each role is faster than the next one at every x
  ("fastest", claim, role, [others])   the role is faster than each of the others at every x
  ("mostly", claim, fast, slow)     `fast` is faster than `slow` at more than half of the x
  ("ratio", claim, slow, fast)      largest speed-up of `fast` over `slow` against the claim;
                                    a fifth entry "mean" compares the geometric mean; a list of
                                    x compares their geometric mean
  ("device ratio", claim, slow, fast)  the same for two devices, or for more cores than the paper's
  ("gain below", claim, slow, fast, [x])  `fast` gains less than the claim at each of these x
  ("gain from", claim, slow, fast)  the least x from which on `fast` gains at every x
  ("rises", claim, role)            no time is below the one before, and the last one is at least
                                    1.25 times the first
  ("falls", claim, role)            the reverse
  ("last is least", claim, role)    no time is below that at the last x
  ("more threads", claim, role, base)  more threads are faster at every x, up to one for each
                                    processor; base has one thread
  ("no more threads", claim, role)  threads beyond the processors are not faster at any x
  ("crossover", claim, fast, [slow])   x from which `fast` beats all of `slow`
  ("at most", claim, role, part, whole)  the times at two x: part / whole against the claim
  ("model", claim, cpu, gpu, both)  speed-up of both devices next to our model of equal loads; the
                                    paper gives nothing to compare with
  ("over the faster", claim, alone, both)  speed-up of `both` over the faster one of `alone` at each
                                    x, and where it is at least 1.1; the paper has no value
  ("no value", claim)               the paper's text gives nothing to compare with; with two more
                                    entries the speed-up of the second over the first is shown
"""

from collections import Counter
from dataclasses import dataclass

from stats import TIMES, geometric_mean, ratio, times

REPRODUCED, EXCEEDED = "reproduced", "exceeded"
NOT_REPRODUCED, NOT_COMPARABLE = "not reproduced", "not comparable"
NOT_MEASURED = "not measured yet"
VERDICTS = [NOT_REPRODUCED, EXCEEDED, REPRODUCED, NOT_COMPARABLE, NOT_MEASURED]

FACTOR = 1.25  # how far a value may be from the paper's value
GAIN = 1.1  # what both devices are to gain over one
TIE = 0.03  # differences below this share do not decide an order


@dataclass(frozen=True)
class Outcome:
    verdict: str
    claim: str
    ours: str


@dataclass(frozen=True)
class Line:
    """One series of a card: role, number of threads, and a row for each x."""

    role: str
    threads: int
    rows: dict


class NoLine(Exception):
    """No row has the algorithm of a role."""


def line_of(lines, role):
    """The line of the role with the most threads."""
    found = [line for line in lines if line.role == role]
    if not found:
        raise NoLine(role)
    return max(found, key=lambda line: line.threads)


def ratios(slow, fast):
    """{x: Spread} of how many times as fast as the line `slow` the line `fast` is."""
    found = {}
    for x in fast.rows:
        if x in slow.rows:
            value = ratio(slow.rows[x].seconds, fast.rows[x].seconds)
            if value is not None:
                found[x] = value
    return found


def faster(value):
    """Whether a ratio is above 1 at both quartiles, or level; None if the quartiles disagree."""
    if (value.low < 1 - TIE) != (value.high < 1 - TIE):
        return None
    return value.low >= 1 - TIE


def copy_words(line):
    """The times of a line over that of a copy, in words; "" if no row has it."""
    found = [row.over_copy for row in line.rows.values() if row.over_copy]
    if not found:
        return ""
    return f"; {line.role} takes {times(min(found))} to {times(max(found))} the time of a copy"


def decided(found):
    """The entries of `ratios` whose quartiles agree on who is faster."""
    return {x: value for x, value in found.items() if faster(value) is not None}


def agreed(claim, words, verdicts):
    """The Outcome if all verdicts are the same one."""
    return (
        too_noisy(claim["words"])
        if len(set(verdicts)) > 1
        else Outcome(verdicts[0], claim["words"], words)
    )


def too_noisy(claim):
    return Outcome(NOT_COMPARABLE, claim, "the rows are too noisy for a verdict")


def judge_value(ours, paper):
    """Compares a value with the paper's value. Below 2 the parts above 1 are compared, because a
    speed-up of 0.99 is no gain, although it is near 1.2."""
    if 1 < paper < 2:
        ours, paper = ours - 1, paper - 1
    if ours > paper * FACTOR:
        return EXCEEDED
    return REPRODUCED if ours >= paper / FACTOR else NOT_REPRODUCED


def judge_order(claim, lines, roles):
    against = points = 0
    least = {}
    for fast, slow in zip(roles, roles[1:]):
        found = decided(ratios(line_of(lines, slow), line_of(lines, fast)))
        points += len(found)
        against += sum(1 for value in found.values() if not faster(value))
        least[fast, slow] = sorted(value.median for value in found.values())
    if points == 0:
        return too_noisy(claim["words"])
    words = "; ".join(
        f"{fast}: {times(values[0])} to {times(values[-1])} as fast as {slow}"
        for (fast, slow), values in least.items()
        if values
    )
    if against:
        return Outcome(
            NOT_REPRODUCED, claim["words"], f"{words} (against the claim in {against} of {points})"
        )
    if any(values and values[-1] < 1 + TIE for values in least.values()):
        return Outcome(NOT_REPRODUCED, claim["words"], f"{words} (no difference)")
    return Outcome(REPRODUCED, claim["words"], words)


def judge_fastest(claim, lines, role, others):
    """One order for each of the others."""
    found = [judge_order(claim, lines, [role, other]) for other in others]
    words = "; ".join(outcome.ours for outcome in found)
    return Outcome(together(found), claim["words"], words)


def judge_mostly(claim, lines, fast, slow):
    found = decided(ratios(line_of(lines, slow), line_of(lines, fast)))
    if not found:
        return too_noisy(claim["words"])
    won = sum(1 for value in found.values() if value.median > 1 + TIE)
    words = f"{fast} is faster than {slow} at {won} of {len(found)} points"
    return Outcome(REPRODUCED if 2 * won > len(found) else NOT_REPRODUCED, claim["words"], words)


def judge_small_gain(claim, lines, slow, fast, places):
    found = ratios(line_of(lines, slow), line_of(lines, fast))
    found = {x: found[x] for x in places if x in found}
    if not found:
        return too_noisy(claim["words"])
    words = "; ".join(f"{x}: {times(v.median)} as fast as {slow}" for x, v in found.items())
    ends = [max(v.low for v in found.values()), max(v.high for v in found.values())]
    return agreed(
        claim, words, [REPRODUCED if e <= claim["value"] else NOT_REPRODUCED for e in ends]
    )


def judge_gain_from(claim, lines, slow, fast):
    found = ratios(line_of(lines, slow), line_of(lines, fast))
    place = None
    for x in sorted(found, reverse=True):
        if found[x].median <= 1 + TIE:
            break
        place = x
    if place is None:
        words = f"{fast} does not gain over {slow} at the largest n"
        return Outcome(NOT_REPRODUCED, claim["words"], words)
    words = f"{fast} gains over {slow} from {place:,.0f} on"
    if place < claim["value"] / FACTOR:
        words += ", earlier than in the paper, on other hardware"
        return Outcome(NOT_COMPARABLE, claim["words"], words)
    late = place > claim["value"] * FACTOR
    return Outcome(NOT_REPRODUCED if late else REPRODUCED, claim["words"], words)


def judge_device_ratio(claim, lines, slow, fast):
    found = judge_ratio(claim, lines, slow, fast)
    if found.verdict in (REPRODUCED, NOT_COMPARABLE):
        return found
    words = f"{found.ours}, on other hardware{copy_words(line_of(lines, fast))}"
    return Outcome(NOT_COMPARABLE, claim["words"], words)


def judge_ratio(claim, lines, slow, fast, how="best"):
    """how: "best" compares the largest ratio over all x, "mean" their geometric mean, a list of x
    the geometric mean of these."""
    fastest = line_of(lines, fast)
    found = ratios(line_of(lines, slow), fastest)
    if isinstance(how, list):
        found = {x: found[x] for x in how if x in found}
    if not found:
        return too_noisy(claim["words"])
    whole = max if how == "best" else geometric_mean
    medians = [value.median for value in found.values()]
    ours = whole(medians)
    ends = [whole([value.low for value in found.values()])]
    ends.append(whole([value.high for value in found.values()]))
    threads = f" with {fastest.threads} threads" if fastest.threads > 1 else ""
    if isinstance(how, list):
        threads += f", {' and '.join(map(str, found))}"
    words = (
        f"{fast}{threads}: {times(ours)} as fast as {slow}; "
        f"the paper's value is {times(claim['value'])}"
        if len(found) == 1
        else f"{fast}{threads}: {times(min(medians))} to {times(max(medians))} as fast as {slow}, "
        f"{'at best' if how == 'best' else 'on average'} {times(ours)}; "
        f"the paper's value is {times(claim['value'])}"
    )
    return agreed(claim, words, [judge_value(end, claim["value"]) for end in ends])


def judge_share(claim, lines, role, part, whole):
    rows = line_of(lines, role).rows
    share = ratio(rows[part].seconds, rows[whole].seconds) if {part, whole} <= set(rows) else None
    if share is None:
        return Outcome(NOT_COMPARABLE, claim["words"], f"no row has the {part}")
    words = f"{part}: {100 * share.median:.3g} % of the time"
    within = [end <= claim["value"] * FACTOR for end in (share.low, share.high)]
    return agreed(claim, words, [REPRODUCED if low else NOT_REPRODUCED for low in within])


def model_points(lines, cpu, gpu, both):
    """[(x, r, Spread of the speed-up over the GPU alone, model)], by r: how many times as long as
    the GPU the CPU takes. The model: both devices finish at the same time, which saves
    1 / (1 + r) of the GPU's time, so they are 1 + 1 / r times as fast."""
    rows = {}  # of each x, which is one number of threads
    for line in lines:
        for x, row in line.rows.items():
            rows.setdefault(x, {})[line.role] = row
    found = []
    for x, row in rows.items():
        if cpu in row and gpu in row and both in row:
            slower = ratio(row[cpu].seconds, row[gpu].seconds)
            gain = ratio(row[gpu].seconds, row[both].seconds)
            if slower is not None and gain is not None:
                found.append((x, slower.median, gain, 1 + 1 / slower.median))
    return sorted(found, key=lambda point: point[1])


def judge_model(claim, lines, *roles):
    points = [point for point in model_points(lines, *roles) if not point[2].noisy]
    if not points:
        return too_noisy(claim["words"])
    gains = sum(1 for _, r, ours, _ in points if ours.median > max(1, 1 / r))
    ends = [points[0], points[-1]] if len(points) > 1 else points
    words = "; ".join(
        f"where the CPU takes {times(r)} as long as the GPU, both are {times(ours.median)} as fast "
        f"as the GPU alone and the model says {times(model)}"
        for _, r, ours, model in ends
    )
    words += f"; both are faster than the faster device alone in {gains} of {len(points)} rows"
    return Outcome(NOT_COMPARABLE, claim["words"], words)


def judge_over_faster(claim, lines, alone, both):
    both_line = line_of(lines, both)
    gains = {}
    for x, row in both_line.rows.items():
        rivals = [
            line.rows[x] for role in alone for line in lines if line.role == role and x in line.rows
        ]
        if len(rivals) == len(alone):
            best = min(rivals, key=lambda rival: rival.time.median)
            gains[x] = ratio(best.seconds, row.seconds)
    gains = {x: value for x, value in gains.items() if value is not None}
    if not gains:
        return Outcome(NOT_COMPARABLE, claim["words"], f"no row is of {' and '.join(alone)}")
    medians = [value.median for value in gains.values()]
    words = (
        f"{both}: {times(min(medians))} to {times(max(medians))} as fast as the faster device "
        f"alone; at least {GAIN} {TIMES} in {sum(m >= GAIN for m in medians)} of {len(medians)}"
    )
    return Outcome(NOT_COMPARABLE, claim["words"], words)


def judge_trend(claim, lines, role, rising):
    found = [row.time for row in line_of(lines, role).rows.values()]
    if len(found) < 2:
        return Outcome(NOT_COMPARABLE, claim["words"], f"{role}: only one time")
    if not rising:
        found.reverse()
    first, last = found[0], found[-1]
    pairs = list(zip(found, found[1:]))
    against = sum(after.high < before.low * (1 - TIE) for before, after in pairs)
    name = "last" if rising else "first"
    other = "first" if rising else "last"
    words = f"{role}: the {name} time is {times(last.median / first.median)} the {other}"
    if against:
        words += f" (against the claim in {against} of {len(pairs)} steps)"
        return Outcome(NOT_REPRODUCED, claim["words"], words)
    changes = [last.low / first.high, last.high / first.low]
    return agreed(claim, words, [REPRODUCED if c >= FACTOR else NOT_REPRODUCED for c in changes])


def judge_last(claim, lines, role):
    rows = line_of(lines, role).rows
    *places, last = rows
    if not places:
        return Outcome(NOT_COMPARABLE, claim["words"], f"{role}: only one time")
    least = rows[last].time
    against = [x for x in places if rows[x].time.high < least.low * (1 - TIE)]
    ratio_to = [rows[x].time.median / least.median for x in places]
    words = (
        f"{role}: the other times are {times(min(ratio_to))} to {times(max(ratio_to))} the last one"
    )
    if against:
        words += f" (against the claim in {len(against)} of {len(places)})"
        return Outcome(NOT_REPRODUCED, claim["words"], words)
    if max(ratio_to) < 1 + TIE:
        return Outcome(NOT_REPRODUCED, claim["words"], f"{words} (no difference)")
    return Outcome(REPRODUCED, claim["words"], words)


def judge_threads(claim, lines, role, base, cpus=None):
    chain = sorted((line for line in lines if line.role in (role, base)), key=lambda c: c.threads)
    counts = sorted({line.threads for line in chain if cpus is None or line.threads <= cpus})
    against = points = 0
    for fewer, more in zip(counts, counts[1:]):
        slow = next(line for line in chain if line.threads == fewer)
        fast = next(line for line in chain if line.threads == more)
        found = decided(ratios(slow, fast))
        points += len(found)
        against += sum(1 for value in found.values() if not faster(value))
    if points == 0:
        return too_noisy(claim["words"])
    words = f"thread counts {', '.join(map(str, counts))}: more threads are faster in " + (
        f"{points - against} of {points} comparisons"
    )
    return Outcome(NOT_REPRODUCED if against else REPRODUCED, claim["words"], words)


def judge_no_more_threads(claim, lines, role, cpus):
    chain = sorted((line for line in lines if line.role == role), key=lambda c: c.threads)
    few = [line for line in chain if cpus is not None and line.threads <= cpus]
    many = [line for line in chain if cpus is not None and line.threads > cpus]
    if not few or not many:
        words = "no row has more threads than the machine has processors"
        return Outcome(NOT_COMPARABLE, claim["words"], words)
    gains = [value for line in many for value in decided(ratios(few[-1], line)).values()]
    if not gains:
        return too_noisy(claim["words"])
    against = sum(1 for value in gains if value.low > 1 + TIE)
    words = (
        f"{', '.join(str(line.threads) for line in many)} threads on {cpus} processors are at most "
        f"{times(max(value.median for value in gains))} as fast as {few[-1].threads}"
    )
    return Outcome(NOT_REPRODUCED if against else REPRODUCED, claim["words"], words)


def crossover(fast, slow):
    """The least x from which on the line `fast` beats every line of `slow`; None if it does not win
    at the largest x."""
    found = None
    for x in sorted(fast.rows, reverse=True):
        rivals = [line.rows[x] for line in slow if x in line.rows]
        if not rivals:
            continue
        if any(r.time.median <= fast.rows[x].time.median for r in rivals):
            break
        found = x
    return found


def judge_crossover(claim, lines, fast, slow, interval):
    line = line_of(lines, fast)
    rivals = [line_of(lines, role) for role in slow]
    place = crossover(line, rivals)
    names = " and ".join(slow) if len(slow) < 3 else "all sequential algorithms"
    if place is None:
        return Outcome(NOT_REPRODUCED, claim["words"], f"{fast} never passes {names}")
    if place == min(line.rows):
        words = f"{fast} is faster than {names} at every measured x, from {place:,.0f} on"
    else:
        words = f"{fast} is faster than {names} from {place:,.0f} on"
    if place < interval["from"] / FACTOR:
        words += f", earlier than in the paper, on other hardware{copy_words(line)}"
        return Outcome(NOT_COMPARABLE, claim["words"], words)
    late = place > interval["to"] * FACTOR
    return Outcome(NOT_REPRODUCED if late else REPRODUCED, claim["words"], words)


def judge(rule, figure, lines, cpus=None):
    """The Outcome of one rule of a card. cpus: the number of processors of the machine."""
    claim = next(c for c in figure["claims"] if c["id"] == rule[1])
    try:
        return apply_rule(rule, claim, figure, lines, cpus)
    except NoLine as error:
        return Outcome(NOT_COMPARABLE, claim["words"], f"no row is of {error.args[0]}")


def apply_rule(rule, claim, figure, lines, cpus):
    kind, _, *arguments = rule
    rules = {
        "order": judge_order,
        "fastest": judge_fastest,
        "mostly": judge_mostly,
        "ratio": judge_ratio,
        "device ratio": judge_device_ratio,
        "gain below": judge_small_gain,
        "gain from": judge_gain_from,
        "last is least": judge_last,
        "at most": judge_share,
        "over the faster": judge_over_faster,
        "model": judge_model,
    }
    if kind in rules:
        return rules[kind](claim, lines, *arguments)
    if kind in ("rises", "falls"):
        return judge_trend(claim, lines, *arguments, rising=kind == "rises")
    if kind == "more threads":
        return judge_threads(claim, lines, *arguments, cpus)
    if kind == "no more threads":
        return judge_no_more_threads(claim, lines, *arguments, cpus)
    if kind == "crossover":
        return judge_crossover(claim, lines, *arguments, figure["crossover"])
    if kind == "no value":
        words = "measured; the paper states no value"
        if arguments:
            found = [v.median for v in ratios(*(line_of(lines, r) for r in arguments)).values()]
            slow, fast = arguments
            if found:
                words = f"{fast}: {times(min(found))} to {times(max(found))} as fast as {slow}"
        return Outcome(NOT_COMPARABLE, claim["words"], words)
    raise ValueError(f"unknown rule {kind}")


def together(outcomes):
    """The verdict of a card: a claim that fails decides, then one that is exceeded."""
    found = {outcome.verdict for outcome in outcomes}
    for verdict in (NOT_REPRODUCED, EXCEEDED, REPRODUCED):
        if verdict in found:
            return verdict
    return NOT_COMPARABLE


def count(cards):
    """{verdict: number of cards}, in the order of VERDICTS."""
    found = Counter(card.verdict for card in cards)
    return {verdict: found[verdict] for verdict in VERDICTS}
