"""How often the comparison of two arms is right, on synthetic runs whose true change is known.

    python benchmarks/results_power.py    # ten to twenty seconds; needs numpy

Each run is drawn from a normal distribution around its arm's true mean; "noise" is the standard deviation from run to
run in per cent of that mean. The decision is worked out with numpy on many trials at once, by the formulas of
``syncbot.checks.compare`` and with its own quantiles, and checked against that module itself on some thousand trials of
every sort: a single disagreement ends the script with status 1, as does a promise that is not kept.

Rates are followed by the upper (or lower) end of a one-sided 95 % Clopper-Pearson bound.
"""

from __future__ import annotations

import argparse
import math
import sys

import numpy as np
from numpy.typing import NDArray

from syncbot.checks import student
from syncbot.checks.compare import CONFIDENCE, FAIL_LEVEL, Arms, judge_rows, margin_of
from syncbot.model.checks import Direction, Judgement, Metric

TOLERANCE = 2.0
RUNS = range(3, 11)
ROWS = 27
NOISES = (0.5, 1.0, 2.0, 3.0)
Floats = NDArray[np.float64]


def decide(baseline: Floats, candidate: Floats, direction: Direction) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which trials pass and which fail; arrays of trials by runs, as many runs in both arms."""
    runs = baseline.shape[1]
    logs = np.log(candidate), np.log(baseline)
    gain = logs[0].mean(1) - logs[1].mean(1)
    if direction is Direction.LOWER:
        gain = -gain
    error = np.sqrt((logs[0].var(1, ddof=1) + logs[1].var(1, ddof=1)) / runs)
    margin = margin_of(Metric(name="figure", direction=direction, tolerance=TOLERANCE))
    passes = gain - student.quantile(CONFIDENCE, 2 * runs - 2) * error > -margin
    fails = ~passes & (gain + student.quantile(1 - FAIL_LEVEL, 2 * runs - 2) * error < -margin)
    return passes, fails


def draw(
    rng: np.random.Generator,
    *,
    trials: int,
    runs: int,
    noise: Floats | float,
    loss: Floats | float,
    direction: Direction,
) -> tuple[Floats, Floats]:
    """Return both arms; ``loss`` and ``noise`` are in per cent. A loss of what is better lower makes it higher."""
    share = 1 - np.asarray(loss) / 100
    true = share if direction is Direction.HIGHER else 1 / share
    spread = np.broadcast_to(np.asarray(noise) / 100, (trials,))[:, None]
    arms = [1 + spread * rng.standard_normal((trials, runs)) for _ in range(2)]
    return arms[0], arms[1] * np.broadcast_to(true, (trials,))[:, None]


def upper(count: int, trials: int) -> float:
    """Return the upper end of the one-sided 95 % bound on a rate."""
    low, high = count / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _binomial(count, trials, middle) > 0.05:
            low = middle
        else:
            high = middle
    return high


def lower(count: int, trials: int) -> float:
    """Return the lower end of the one-sided 95 % bound on a rate."""
    return 1 - upper(trials - count, trials)


def _binomial(count: int, trials: int, rate: float) -> float:
    """Return the probability of at most ``count`` successes."""
    if rate >= 1:
        return float(count >= trials)
    k = np.arange(count + 1)
    logs = (
        math.lgamma(trials + 1)
        - np.array([math.lgamma(each + 1) + math.lgamma(trials - each + 1) for each in k])
        + k * math.log(rate)
        + (trials - k) * math.log1p(-rate)
    )
    return float(np.exp(logs).sum())


class Bench:
    """Counts trials and remembers whether every promise was kept."""

    def __init__(self, trials: int, seed: int) -> None:
        self.trials = trials
        self.rng = np.random.default_rng(seed)
        self.kept = True
        self.disagreed = 0
        self.compared = 0

    def rates(
        self, *, runs: int, noise: Floats | float, loss: Floats | float, trials: int | None = None
    ) -> tuple[int, int, int]:
        """Return passes, fails and trials, half of them of a metric that is better higher."""
        passes = fails = 0
        half = (trials or self.trials) // 2
        for index, direction in enumerate(Direction):
            some = slice(index * half, (index + 1) * half)
            arms = draw(
                self.rng,
                trials=half,
                runs=runs,
                noise=noise if np.ndim(noise) == 0 else np.asarray(noise)[some],
                loss=loss if np.ndim(loss) == 0 else np.asarray(loss)[some],
                direction=direction,
            )
            passed, failed = decide(*arms, direction)
            self._check(*arms, direction, passed, failed)
            passes += int(passed.sum())
            fails += int(failed.sum())
        return passes, fails, 2 * half

    def _check(
        self,
        baseline: Floats,
        candidate: Floats,
        direction: Direction,
        passed: NDArray[np.bool_],
        failed: NDArray[np.bool_],
    ) -> None:
        """Hold some trials against the module itself."""
        metric = Metric(name="figure", direction=direction, tolerance=TOLERANCE)
        for trial in range(50):
            arms = Arms(
                metric=metric,
                level={},
                baseline=tuple(baseline[trial].tolist()),
                candidate=tuple(candidate[trial].tolist()),
            )
            verdict = judge_rows([arms])[0].verdict
            wanted = Judgement.PASS if passed[trial] else Judgement.FAIL if failed[trial] else Judgement.INCONCLUSIVE
            self.compared += 1
            self.disagreed += verdict is not wanted

    def promise(self, text: str, kept: bool) -> None:
        """Print a promise and whether it was kept."""
        self.kept &= kept
        print(f"{'kept  ' if kept else 'BROKEN'}  {text}")


def promises(bench: Bench) -> None:
    """Print what must hold."""
    many = bench.trials * 5
    rng = bench.rng
    noise = np.exp(rng.uniform(math.log(0.5), math.log(3.0), many))
    beyond = rng.uniform(TOLERANCE, 3 * TOLERANCE, many)
    within = rng.uniform(0.0, TOLERANCE, many)
    print(f"tolerance {TOLERANCE:g} %, noise 0.5 to 3 %, runs 3 to 10; true loss within the tolerance, or beyond it")
    print(f"(up to {3 * TOLERANCE:g} %), each evenly spread:")
    for name, loss, which in (("false pass", beyond, 0), ("false fail", within, 1)):
        worst, total, count = 0.0, 0, 0
        for runs in RUNS:
            part = slice((runs - 3) * many // 8, (runs - 2) * many // 8)
            found = bench.rates(runs=runs, noise=noise[part], loss=loss[part], trials=many // 8)
            count, total = count + found[which], total + found[2]
            worst = max(worst, upper(found[which], found[2]))
        rate = upper(count, total)
        bench.promise(
            f"{name}: {count} of {total} = {100 * count / total:.2f} %, at most {100 * rate:.2f} %;"
            f" the worst number of runs at most {100 * worst:.2f} % (must be at most 2.5 %)",
            worst <= 0.025,
        )
    print("five runs an arm, 1 % noise, 2 % tolerance:")
    passes, _, total = bench.rates(runs=5, noise=1.0, loss=0.0)
    _at_least(bench, "no true change passes", passes, total)
    _, fails, total = bench.rates(runs=5, noise=1.0, loss=5.0)
    _at_least(bench, "a true loss of 5 % fails", fails, total)
    edge = 0.0
    for runs in RUNS:
        for noise_now in NOISES:
            _, fails, total = bench.rates(runs=runs, noise=noise_now, loss=TOLERANCE)
            edge = max(edge, upper(fails, total))
    bench.promise(
        f"false fail at a loss of the tolerance itself, the worst of every number of runs and noise: at most"
        f" {100 * edge:.2f} % (must be at most 2.5 %)",
        edge <= 0.025,
    )


def _at_least(bench: Bench, what: str, count: int, total: int) -> None:
    low = lower(count, total)
    text = f"{what}: {100 * count / total:.1f} %, at least {100 * low:.1f} % (must be at least 90 %)"
    bench.promise(text, low >= 0.9)


def tables(bench: Bench) -> None:
    """Print how it depends on runs, noise and true loss."""
    print("\npasses with no true change, per cent (power), by runs an arm:")
    _table(bench, 0.0, 0)
    print("\nfails with a true loss of 5 %, per cent (power):")
    _table(bench, 5.0, 1)
    print("\npasses by true loss, per cent, five runs an arm (the edge is the tolerance itself, 2 %):")
    losses = (1.0, 1.5, 2.0, 2.25, 2.5, 3.0, 4.0)
    print("noise    " + "".join(f"{loss:>9g} %" for loss in losses))
    for noise in NOISES:
        cells = []
        for loss in losses:
            passes, _, total = bench.rates(runs=5, noise=noise, loss=loss)
            cells.append(f"{100 * passes / total:11.2f}")
        print(f"{noise:5g} %  " + "".join(cells))
    _whole_checks(bench)
    distance = margin_of(Metric(name="figure", direction=Direction.HIGHER, tolerance=TOLERANCE)) / (
        0.01 * math.sqrt(2 / 5)
    )
    least = student.cdf(student.quantile(0.9, math.inf) - distance, math.inf)
    print(
        "\nNo rule, not even one that knows the noise, can pass 90 % of unchanged arms (five runs, 1 % noise) and fewer"
        f"\nthan {100 * least:.1f} % at the edge; this one passes {100 * (1 - CONFIDENCE):.0f} % there."
        " A check that must be stricter sets `confidence`."
    )


def _whole_checks(bench: Bench) -> None:
    """Print what becomes of a whole check: every row must pass, and any row may fail it."""
    print(f"\nwhole checks of {ROWS} rows (nine levels, three metrics, noise of their own), per cent that pass with")
    print("no true change, and that fail wrongly where every loss is just the tolerance:")
    print("noise    " + "".join(f"{runs:>14}" for runs in RUNS))
    metric = Metric(name="figure", direction=Direction.HIGHER, tolerance=TOLERANCE)
    margin = margin_of(metric)
    for noise in NOISES:
        cells = []
        for runs in RUNS:
            freedom, trials = 2 * runs - 2, bench.trials // 10
            rates = []
            for loss in (0.0, TOLERANCE):
                arms = draw(
                    bench.rng, trials=trials * ROWS, runs=runs, noise=noise, loss=loss, direction=metric.direction
                )
                logs = np.log(arms[0]), np.log(arms[1])
                gain = logs[1].mean(1) - logs[0].mean(1)
                error = np.sqrt((logs[0].var(1, ddof=1) + logs[1].var(1, ddof=1)) / runs)
                passes = gain - student.quantile(CONFIDENCE, freedom) * error > -margin
                # Holm rejects something if and only if its first step does.
                fails = gain + student.quantile(1 - FAIL_LEVEL / ROWS, freedom) * error < -margin
                shaped = passes.reshape(trials, ROWS).all(1) if loss == 0 else fails.reshape(trials, ROWS).any(1)
                rates.append(100 * float(shaped.mean()))
            cells.append(f"{rates[0]:9.1f}{rates[1]:5.1f}")
        print(f"{noise:5g} %  " + "".join(cells))


def _table(bench: Bench, loss: float, which: int) -> None:
    print("noise    " + "".join(f"{runs:>7}" for runs in RUNS))
    for noise in NOISES:
        cells = []
        for runs in RUNS:
            found = bench.rates(runs=runs, noise=noise, loss=loss)
            cells.append(f"{100 * found[which] / found[2]:7.1f}")
        print(f"{noise:5g} %  " + "".join(cells))


def main() -> int:
    """Print everything; return 0 if every promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=40_000, help="trials a cell")
    parser.add_argument("--seed", type=int, default=20260908)
    options = parser.parse_args()
    bench = Bench(options.trials, options.seed)
    promises(bench)
    tables(bench)
    print()
    bench.promise(
        f"numpy and syncbot.checks.compare agree: {bench.disagreed} of {bench.compared} trials differ",
        bench.disagreed == 0,
    )
    return 0 if bench.kept else 1


if __name__ == "__main__":
    sys.exit(main())
