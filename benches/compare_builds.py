#!/usr/bin/env python3
"""Two builds of stiction on the same scenes: do they move alike, bit by bit, and how do their times compare?

    python3 benches/compare_builds.py trajectories OLD NEW
    python3 benches/compare_builds.py times OLD NEW --solvers canal --runs 10
    python3 benches/compare_builds.py detection OLD NEW --scenes bolt-nut,dish-piling

`trajectories` runs every scene with every solver in both builds and compares what `run --csv` writes of every
step, all but wall-clock times. `times` runs both builds in turns and compares the smallest of each.
`detection` does so with the time that finding contacts takes, beside that of solving them, and with the new build
also without reuse of contacts.

What follows `--` is handed to every run (`-- --dt 1e-3`), and after a second `--` to those of the new build
alone (`-- -- --contact-reuse 0`).
"""

import argparse
import concurrent.futures
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Columns of `run --csv` that a clock wrote.
WALL_CLOCK = {"step_time"}
# More frames per second than any scene has steps: every step is written.
EVERY_STEP = "1e9"


def names(program, command):
    """First words of what `stiction scenes` and `stiction solvers` print."""
    run = subprocess.run([program, command], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in run.stdout.splitlines() if line.strip()]


def run(program, scene, solver, arguments, *options):
    """One run of a scene, without files unless `options` name some."""
    command = [program, "run", scene, "--no-output", "--threads", str(arguments.threads)]
    command += ["--seed", str(arguments.seed)]
    command += ["--seconds", str(arguments.seconds)] if arguments.seconds else []
    command += ["--solver", solver] if solver else []
    command += arguments.both + (arguments.new_only if program == arguments.new else [])
    return subprocess.run(command + list(options), capture_output=True, text=True)


def trajectory(program, scene, solver, arguments, path):
    """How a run ended, and the rows of its CSV: the header first."""
    done = run(program, scene, solver, arguments, "--quiet", "--fps", EVERY_STEP, "--csv", str(path))
    rows = []
    if path.exists():
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
    return done.returncode, done.stderr.strip(), rows[:1] + rows[1 + arguments.skip :]


def difference(old, new):
    """The first place where two trajectories differ, in words; None where they are equal."""
    (old_code, old_error, old_rows), (new_code, new_error, new_rows) = old, new
    if old_rows and new_rows:
        # A build may write statistics that the other does not know.
        old_rows, new_rows = common_columns(old_rows, new_rows), common_columns(new_rows, old_rows)
        if old_rows[0] != new_rows[0]:
            pairs = itertools.zip_longest(old_rows[0], new_rows[0], fillvalue="nothing")
            column = next((a, b) for a, b in pairs if a != b)
            return f"other columns: {column[0]} is {column[1]}"
        header = old_rows[0]
        compared = [k for k, name in enumerate(header) if name not in WALL_CLOCK]
        for step, (a, b) in enumerate(zip(old_rows[1:], new_rows[1:])):
            # Numbers are written so that reading them gives the same bits: text decides.
            wrong = [k for k in compared if a[k] != b[k]]
            if wrong:
                k = wrong[0]
                last = min(len(old_rows), len(new_rows)) - 1
                return (
                    f"step {step}, t = {a[0]} s: {header[k]} {a[k]} -> {b[k]}, {len(wrong)} of {len(compared)} columns; "
                    f"poses and velocities change by {change(header, a, b):.1e} there, "
                    f"{change(header, old_rows[last], new_rows[last]):.1e} at the end"
                )
    if len(old_rows) != len(new_rows):
        return f"{max(len(old_rows) - 1, 0)} -> {max(len(new_rows) - 1, 0)} frames: {old_error} -> {new_error}"
    if (old_code, old_error) != (new_code, new_error):
        return f"exit code {old_code} -> {new_code}: {old_error} -> {new_error}"
    return None


def common_columns(rows, others):
    """The rows with those columns alone that the others have too, by name."""
    kept = [k for k, name in enumerate(rows[0]) if name in set(others[0])]
    return rows if len(kept) == len(rows[0]) else [[row[k] for k in kept] for row in rows]


def change(header, old, new):
    """Largest change among poses and velocities of one step, in SI units; their columns are named BODY.COMPONENT."""
    states = [k for k, name in enumerate(header) if "." in name]
    return max((abs(float(old[k]) - float(new[k])) for k in states), default=0.0)


def compare_trajectories(arguments, scenes, solvers):
    """Prints every pair of scene and solver that differs; whether there was none."""

    def one(pair):
        scene, solver = pair
        with tempfile.TemporaryDirectory() as folder:
            runs = [
                trajectory(program, scene, solver, arguments, pathlib.Path(folder) / f"{k}.csv")
                for k, program in enumerate([arguments.old, arguments.new])
            ]
        return pair, difference(*runs), len(runs[0][2])

    pairs = list(itertools.product(scenes, solvers))
    differing = empty = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (scene, solver), found, rows in pool.map(one, pairs):
            if found:
                differing += 1
                print(f"{scene:<20} {solver:<22} {found}", flush=True)
            elif rows < 2:
                empty += 1
                print(f"{scene:<20} {solver:<22} no step in either build", flush=True)
            elif arguments.verbose:
                print(f"{scene:<20} {solver:<22} equal, {rows - 1} frames", flush=True)
    print(f"{len(pairs) - differing - empty} of {len(pairs)} trajectories equal, {differing} differ, {empty} without a step")
    return differing == 0 and empty == 0


def time_of(program, scene, solver, arguments):
    """Median time of a step and time of all stages of one run, s; None if the run failed."""
    done = run(program, scene, solver, arguments, "--json")
    if done.returncode != 0:
        return None
    summary = json.loads(done.stdout)
    return summary["step_time_s"]["median"], sum(summary["stages_s"].values())


def compare_times(arguments, scenes, solvers):
    """Prints times of both builds and their ratios; whether every run ended well."""
    print(f"{'scene':<20} {'solver':<22}{'old µs':>10}{'new µs':>10}{'median':>9}{'total':>9}")
    ratios, failed = [], 0
    for scene, solver in itertools.product(scenes, solvers):
        old, new = [], []
        for turn in range(arguments.runs):
            # The first of a turn may find a cold machine: builds take it in turns to be first.
            order = [(arguments.old, old), (arguments.new, new)]
            for program, times in order if turn % 2 == 0 else reversed(order):
                times.append(time_of(program, scene, solver, arguments))
        if None in old + new:
            failed += 1
            print(f"{scene:<20} {solver:<22} a run failed", flush=True)
            continue
        old_step, new_step = min(t[0] for t in old), min(t[0] for t in new)
        step, total = new_step / old_step, min(t[1] for t in new) / min(t[1] for t in old)
        ratios.append((step, total, scene, solver))
        print(f"{scene:<20} {solver:<22}{old_step * 1e6:>10.1f}{new_step * 1e6:>10.1f}{step:>9.3f}{total:>9.3f}", flush=True)
    for k, what in enumerate(["median step", "all steps"]):
        if ratios:
            worst = max(ratios, key=lambda ratio: ratio[k])
            median = statistics.median(ratio[k] for ratio in ratios)
            print(f"new/old, {what}: median {median:.3f}, worst {worst[k]:.3f} ({worst[2]}, {worst[3]})")
    return failed == 0


def stages_of(program, scene, solver, arguments, *options):
    """Times of detection and solution and contacts of a step on average, s; None if the run failed."""
    done = run(program, scene, solver, arguments, "--json", *options)
    if done.returncode != 0:
        return None
    summary = json.loads(done.stdout)
    steps = summary["steps"]
    stages = summary["stages_s"]
    return stages["detect"] / steps, stages["solve"] / steps, summary["contacts"]["mean"]


def compare_detection(arguments, scenes, solvers):
    """Prints times of detection of both builds, and ratios to each other and to the solution; whether every run ended well."""
    head = f"{'scene':<20} {'build':<18}{'detect µs':>11}{'solve µs':>11}{'old/this':>10}{'detect/solve':>14}{'contacts':>10}"
    print(head, flush=True)
    failed = 0
    for scene, solver in itertools.product(scenes, solvers):
        variants = [("old", arguments.old, []), ("new", arguments.new, [])]
        variants.append(("new, no reuse", arguments.new, ["--contact-reuse", "0"]))
        results = [[] for _ in variants]
        for turn in range(arguments.runs):
            order = list(zip(variants, results))
            for (_, program, options), found in order if turn % 2 == 0 else reversed(order):
                found.append(stages_of(program, scene, solver, arguments, *options))
        if any(None in found for found in results):
            failed += 1
            print(f"{scene:<20} a run failed", flush=True)
            continue
        old = min(result[0] for result in results[0])
        for (name, _, _), found in zip(variants, results):
            detect, solve = (min(result[k] for result in found) for k in range(2))
            print(
                f"{scene:<20} {name:<18}{detect * 1e6:>11.1f}{solve * 1e6:>11.1f}{old / detect:>10.2f}"
                f"{detect / solve:>14.2f}{found[0][2]:>10.2f}",
                flush=True,
            )
    return failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["trajectories", "times", "detection"])
    parser.add_argument("old", help="a stiction program")
    parser.add_argument("new", help="another one")
    parser.add_argument("--scenes", help="names or files, separated by commas [default: all built-in scenes]")
    parser.add_argument("--solvers", help="names, separated by commas [default: all; canal for times]")
    parser.add_argument("--seconds", type=float, help="simulated time of a run [default: 0.25; the scene's own for times]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="threads of a run")
    parser.add_argument("--runs", type=int, default=5, help="runs of each build, in turns, for times")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once, for trajectories")
    parser.add_argument("--skip", type=int, default=0, help="first frames not to compare, where builds write other statistics of them")
    parser.add_argument("--verbose", action="store_true", help="name equal trajectories too")
    words, *handed_on = split_at_dashes(sys.argv[1:])
    arguments = parser.parse_args(words)
    arguments.both, arguments.new_only = (handed_on + [[], []])[:2]

    trajectories = arguments.mode == "trajectories"
    if trajectories and arguments.seconds is None:
        arguments.seconds = 0.25
    scenes = arguments.scenes.split(",") if arguments.scenes else names(arguments.old, "scenes")
    if arguments.solvers:
        solvers = arguments.solvers.split(",")
    else:
        solvers = names(arguments.old, "solvers") if trajectories else ["canal"]
    compare = {"trajectories": compare_trajectories, "times": compare_times, "detection": compare_detection}
    sys.exit(0 if compare[arguments.mode](arguments, scenes, solvers) else 1)


def split_at_dashes(words):
    """Lists of words between those that are `--`."""
    parts = [[]]
    for word in words:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


if __name__ == "__main__":
    main()
