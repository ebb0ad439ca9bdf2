"""Compare the speed of two builds (docs/reference/benchmarks.md): python tools/measure_speed.py BEFORE AFTER GAME ...

BEFORE and AFTER are two `ggp-agent` programs, such as one in a worktree of an earlier commit. Each game is measured by
both alternately, so that other programs affect both, and the median of the rounds is printed as a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from pathlib import Path
from typing import Any

# Figures of `bench --json`, and their titles.
_FIGURES = {
    "playouts_per_cpu_s": "play-outs/s",
    "simulations_per_cpu_s": "search/s",
}
_LOAD = "load_cpu_s"


def measured(program: str, game: str, seconds: float, kernel: str | None) -> dict[str, Any]:
    """Measure a game with one of the programs, without its cache."""
    command = [program, "bench", game, "--json", "--no-cache", "--seconds", str(seconds)]
    command += ["--kernel", kernel] if kernel else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def middle(rounds: list[dict[str, Any]], key: str) -> float:
    """Return the median of a figure."""
    return statistics.median(float(each[key]) for each in rounds)


def main() -> None:
    """Measure all games and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE", help="a ggp-agent program")
    parser.add_argument("after", metavar="AFTER", help="another")
    parser.add_argument("games", metavar="GAME", nargs="+", help="a .kif file, or a name that both know")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of each game and program (default: 3)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="as of `bench` (default: 2)")
    parser.add_argument("--kernel", choices=("portable", "avx2", "avx512"), help="as of `bench`")
    args = parser.parse_args()
    titles = [f"{title}{when}" for title in _FIGURES.values() for when in (" before", " after", " ratio")]
    print("| game | " + " | ".join(titles) + " | load s before | after |")
    print("|---|" + "---:|" * (len(titles) + 2))
    ratios: dict[str, list[float]] = {key: [] for key in _FIGURES}
    for game in args.games:
        before, after = [], []
        for _ in range(args.rounds):
            before.append(measured(args.before, game, args.seconds, args.kernel))
            after.append(measured(args.after, game, args.seconds, args.kernel))
        cells = []
        for key, collected in ratios.items():
            old, new = middle(before, key), middle(after, key)
            collected.append(new / old)
            cells += [f"{old:,.0f}", f"{new:,.0f}", f"{new / old:.2f}"]
        loads = [f"{middle(each, _LOAD):.2f}" for each in (before, after)]
        print(f"| {Path(game).stem} | " + " | ".join([*cells, *loads]) + " |", flush=True)
    means = [f" | | | {statistics.geometric_mean(each):.2f}" for each in ratios.values()]
    print("| geometric mean" + "".join(means) + " | | |")


if __name__ == "__main__":
    main()
