"""L-SHADE (or another adaptive method) on the organisers' own instances of CEC 2014, as pygmo has them.

Usage: cec2014_official.py EXAMPLE [METHOD] [--runs N] [--dim N] [--functions N...]
EXAMPLE is the built example `cec_functions`. One line for each function: mean and standard deviation of final errors.
"""

import argparse
import struct
import subprocess
from multiprocessing import Pool

import numpy as np
import pygmo


def run(job):
    example, method, function, dim, seed = job
    problem = pygmo.problem(pygmo.cec2014(prob_id=function, dim=dim))
    evaluate = pygmo.bfe(pygmo.thread_bfe())
    process = subprocess.Popen(
        [example, "--pipe", method, str(dim), str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    while True:
        (count,) = struct.unpack("<Q", process.stdout.read(8))
        if count == 0:
            (error,) = struct.unpack("<d", process.stdout.read(8))
            process.wait()
            return error if error > 1e-8 else 0.0
        x = np.frombuffer(process.stdout.read(8 * dim * count))
        costs = evaluate(problem, x) - 100.0 * function
        process.stdin.write(costs.tobytes())
        process.stdin.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("example")
    parser.add_argument("method", nargs="?", default="l-shade")
    parser.add_argument("--runs", type=int, default=51)
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--functions", type=int, nargs="*", default=range(1, 17))
    args = parser.parse_args()
    print("| function | D | runs | mean ± std on the organisers' instance |\n|---|---|---|---|", flush=True)
    with Pool(2) as pool:
        for function in args.functions:
            jobs = [(args.example, args.method, function, args.dim, seed) for seed in range(args.runs)]
            errors = np.array(pool.map(run, jobs, chunksize=1))
            print(f"| F{function} | {args.dim} | {args.runs} | {errors.mean():.2e} ± {errors.std():.1e} |", flush=True)


if __name__ == "__main__":
    main()
