"""Memory of a fit on an array: how many times X is held.

Usage: python array_memory.py [--rows 1000000] [--inputs 20]

Each measurement is a process of its own: the array is made, then the peak of resident memory (VmHWM) is reset, and read again after a
fit of a linear model, whose training takes next to no memory of its own, and after one of a network.
"""

import argparse
import subprocess
import sys
import textwrap

PROGRAM = """
    import sys, numpy as np, onefold, sklearn.utils
    order, hidden, rows, inputs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    def peak(name="VmHWM"):
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024
    rng = np.random.default_rng(1)
    X = np.empty((rows, inputs), order=order)
    for column in range(inputs):
        X[:, column] = rng.normal(size=rows)
    y = np.sin(X[:, 0]) + X[:, 1]
    small = onefold.OnefoldRegressor(hidden, decay=1e-3, random_state=1, options={"max_evaluations": 1000})
    small.fit(X[:1000], y[:1000])
    open("/proc/self/clear_refs", "w").write("5")  # resets the peak
    before = peak("VmRSS")
    estimator = onefold.OnefoldRegressor(hidden, decay=1e-3, random_state=1, time_limit=20)
    estimator.fit(X, y)
    print(peak() - before, X.nbytes / 2**20)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--inputs", type=int, default=20)
    args = parser.parse_args()
    print("| order | hidden | X, MB | added by fit at most, MB | times X |\n|---|---|---|---|---|")
    for order in ("C", "F"):
        for hidden in ("none+linear", "8"):
            command = [sys.executable, "-c", textwrap.dedent(PROGRAM), order, hidden, str(args.rows), str(args.inputs)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            added, of_array = map(float, output.split())
            print(f"| {order} | {hidden} | {of_array:.0f} | {added:.0f} | {added / of_array:.2f} |", flush=True)


if __name__ == "__main__":
    main()
