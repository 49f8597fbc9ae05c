"""Memory of one process over many fits and minimisations.

Usage: python many_fits.py [--fits 100000]

Prints the resident memory (VmRSS) after each tenth. A fit is an estimator on 30 rows with predictions, or a minimisation of a function of
Python, in turn; every hundredth fit selects its network, is pickled and loaded.
"""

import argparse
import gc
import pickle
import time

import numpy as np
import onefold


def resident():
    """Megabytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def one(number, X, y):
    if number % 100 == 0:
        estimator = onefold.OnefoldClassifier(effort=0.01, random_state=number, n_jobs=1).fit(X, y > 0)
        assert len(pickle.loads(pickle.dumps(estimator)).predict(X)) == len(X)
    elif number % 2 == 0:
        onefold.OnefoldRegressor(1, decay=1e-3, random_state=number, n_jobs=1).fit(X, y).predict(X)
    else:
        onefold.minimize(lambda x: float(x @ x), [(-1, 1)] * 2, seed=number, max_evaluations=20, method="cma-es")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fits", type=int, default=100_000)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] - X[:, 1]
    began = time.monotonic()
    print("| fits | resident MB |\n|---|---|")
    for number in range(args.fits + 1):
        if number % (args.fits // 10) == 0:
            gc.collect()
            print(f"| {number:,} | {resident():.1f} |", flush=True)
        one(number, X, y)
    print(f"\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
