"""The same problems through the libraries one would use instead, on one core, in one run.

Usage: python peers.py ONEFOLD_BINARY [--seconds 2] [--limit 10] [--seeds 3] [--first-seed 0] [--problem NAME]

Every peer gets the fastest form its documentation offers: whole populations per call where it can, a compiled loop in JAX,
and normal equations for the output layer, although these break down on ill-conditioned networks, where onefold pays for an
exact answer. The first table is evaluations per second in the whole loop, at equal population, for onefold over whole runs to
the paper's threshold. The second is the time to that threshold; a success counts if an exact least-squares solution confirms it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})  # one core, inherited by every process started here
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import numpy as np  # noqa: E402

# name: layers, population, threshold, how a row of the file becomes inputs and class, split
PROBLEMS = {
    "sinc": ([1, 5, 1], 160, 5e-5),
    "sinc2d": ([2, 3, 1, 3, 1], 120, 5e-5),
    "two-spirals": ([2, 10, 1, 10, 2], 120, 0.07),
    "balance": ([4, 5, 1, 5, 3], 160, 0.001),
    "tic-tac-toe": ([9, 8, 2], 160, 0.08),
}


def training_rows(onefold, name):
    """The training rows that onefold uses, from its own export."""
    text = subprocess.run([onefold, "datasets", name, "--csv"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(",") for line in text.splitlines()]
    if name in ("syn5", "sinc", "incsinc", "sinc2d"):
        data = np.array(rows[:200], dtype=float)
        return data[:, :-1], data[:, -1:]
    one_hot = lambda labels, classes: np.array([[float(l == c) for c in classes] for l in labels])
    if name == "two-spirals":
        x, y = np.array([r[:2] for r in rows], dtype=float), one_hot([r[2] for r in rows], "10")
        train = [k % 4 < 2 for k in range(len(rows))]
    elif name == "iris":
        labels = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
        x, y = np.array([r[:4] for r in rows], dtype=float), one_hot([r[4] for r in rows], labels)
        train = [k % 2 < 1 for k in range(len(rows))]
    elif name == "balance":
        x, y = np.array([r[1:] for r in rows], dtype=float), one_hot([r[0] for r in rows], "LBR")
        train = [k % 2 < 1 for k in range(1, len(rows) + 1)]
    else:
        value = {"x": 0.0, "b": -1.0, "o": 1.0}
        x = np.array([[value[s] for s in r[:9]] for r in rows])
        y = one_hot([r[9] for r in rows], ["positive", "negative"])
        train = [k % 2 < 1 for k in range(len(rows))]
    return x[train], y[train]


class Problem:
    """The paper's cost for a whole population, written once for NumPy and JAX."""

    def __init__(self, onefold, name, layers=None, target=None):
        self.name = name
        self.layers, self.population, self.target = PROBLEMS[name] if layers is None else (layers, None, target)
        self.x, self.y = training_rows(onefold, name)
        self.dim = sum((a + 1) * b for a, b in zip(self.layers[:-2], self.layers[1:-1]))

    def hidden(self, np, theta, x):
        """Outputs of the last hidden layer: population x neurons x samples."""
        n, start, h = theta.shape[0], 0, x.T[None]
        for inputs, width in zip(self.layers[:-2], self.layers[1:-1]):
            eta = theta[:, start : start + (inputs + 1) * width].reshape(n, width, inputs + 1)
            h = np.tanh(eta[:, :, :-1] @ h + eta[:, :, -1:])
            start += (inputs + 1) * width
        return h

    def cost(self, np, theta, x, y, solve):
        norm = np.sqrt((theta * theta).sum(1))
        radius = self.dim**0.5
        h = self.hidden(np, np.where(norm > radius, 1 / norm, 1.0)[:, None] * theta, x)
        gram = h @ h.transpose(0, 2, 1)
        width = gram.shape[1]
        ridge = 1e-13 if gram.dtype == np.float64 else 1e-7
        gram = gram + ridge * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(width, dtype=gram.dtype)
        right = h @ y
        squares = (y * y).sum() - (right * solve(gram, right)).sum((1, 2))
        return squares / y.size + 50 * np.maximum(norm - radius, 0)

    def numpy(self, theta):
        cost = self.cost(np, theta, self.x, self.y, np.linalg.solve)
        return np.where(np.isfinite(cost), cost, 1e9)

    def exact(self, theta):
        norm = np.linalg.norm(theta)
        h = self.hidden(np, theta[None] / (norm if norm > self.dim**0.5 else 1), self.x)[0]
        weights = np.linalg.lstsq(h.T, self.y, rcond=None)[0]
        return ((self.y - h.T @ weights) ** 2).mean() + 50 * max(norm - self.dim**0.5, 0)


class Stop(Exception):
    """Raised inside an objective to end a peer's loop."""


class Watch:
    """An objective that counts, keeps the time, and notices a confirmed success."""

    def __init__(self, problem, seconds, to_target):
        self.problem, self.seconds, self.to_target = problem, seconds, to_target
        self.count, self.reached, self.started = 0, None, time.perf_counter()

    def __call__(self, theta):
        costs = self.problem.numpy(theta)
        self.count += len(theta)
        self.elapsed = time.perf_counter() - self.started
        best = costs.argmin()
        if self.to_target and costs[best] <= self.problem.target and self.problem.exact(theta[best]) <= self.problem.target:
            self.reached = self.elapsed
            raise Stop
        if self.elapsed > self.seconds:
            raise Stop
        return costs


def scipy_de(problem, watch, seed):
    from scipy.optimize import differential_evolution

    differential_evolution(
        lambda x: watch(x.T), [(-1, 1)] * problem.dim, strategy="rand1bin", mutation=0.5, recombination=0.9, tol=0, atol=0,
        init=np.random.default_rng(seed).uniform(-1, 1, (problem.population, problem.dim)), maxiter=10**9, polish=False,
        vectorized=True, updating="deferred", rng=seed,
    )


def pycma(problem, watch, seed, population=None):
    import cma

    population, rng = population or problem.population, np.random.default_rng(seed + 1)
    while True:  # restarts with doubled population, as IPOP-CMA-ES
        options = {"popsize": population, "verbose": -9, "seed": seed + 1, "verb_log": 0}
        es = cma.CMAEvolutionStrategy(rng.uniform(-1, 1, problem.dim), 0.5, options)
        while not es.stop():
            candidates = es.ask()
            es.tell(candidates, watch(np.array(candidates)).tolist())
        population *= 2


def pygmo_de(problem, watch, seed):
    import pygmo

    class Single:
        def fitness(self, x):
            return [watch(x[None])[0]]

        def get_bounds(self):
            return [-1.0] * problem.dim, [1.0] * problem.dim

    algorithm = pygmo.algorithm(pygmo.de(gen=10**6, F=0.5, CR=0.9, variant=7, ftol=0, xtol=0, seed=seed))
    algorithm.evolve(pygmo.population(pygmo.problem(Single()), problem.population, seed=seed))


def fcmaes_de(problem, watch, seed):
    from fcmaes import decpp
    from scipy.optimize import Bounds

    de = decpp.DE_C(
        problem.dim, Bounds([-1.0] * problem.dim, [1.0] * problem.dim), problem.population, f=0.5, cr=0.9,
        rg=np.random.Generator(np.random.PCG64DXSM(seed)),
    )
    while True:
        de.tell(watch(np.array(de.ask())))


PEERS = {"scipy DE": scipy_de, "pycma": pycma, "pygmo DE": pygmo_de, "fcmaes DE": fcmaes_de}


def unrolled_solve(jnp):
    """Cholesky, written out for small matrices: XLA fuses it, which no LAPACK call allows."""

    def solve(gram, right):
        n = gram.shape[-1]
        low = [[None] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                rest = gram[:, i, j] - sum(low[i][k] * low[j][k] for k in range(j))
                low[i][j] = jnp.sqrt(jnp.maximum(rest, 1e-30)) if i == j else rest / low[j][j]
        z = []
        for i in range(n):
            z.append((right[:, i] - sum(low[i][k][:, None] * z[k] for k in range(i))) / low[i][i][:, None])
        w = [None] * n
        for i in reversed(range(n)):
            w[i] = (z[i] - sum(low[k][i][:, None] * w[k] for k in range(i + 1, n))) / low[i][i][:, None]
        return jnp.stack(w, axis=1)

    return solve


def evosax_rate(problem, dtype, seconds):
    """evosax's DE with the whole loop compiled; the faster of two ways to solve the output layer."""
    import jax
    import jax.numpy as jnp
    from evosax.algorithms import DifferentialEvolution

    jax.config.update("jax_enable_x64", dtype == "f64")
    kind = jnp.float64 if dtype == "f64" else jnp.float32
    x, y = jnp.asarray(problem.x, kind), jnp.asarray(problem.y, kind)
    rates = []
    for solve in (unrolled_solve(jnp), jnp.linalg.solve):
        de = DifferentialEvolution(problem.population, jnp.zeros(problem.dim, kind))
        params = de.default_params.replace(elitism=False, crossover_rate=0.9, differential_weight=0.5)

        def generation(carry, key):
            state, ask_key, tell_key = carry[0], *jax.random.split(key)
            theta, state = de.ask(ask_key, state, params)
            cost = jnp.nan_to_num(problem.cost(jnp, theta, x, y, solve), nan=1e9)
            return (de.tell(tell_key, theta, cost, state, params)[0],), cost.min()

        steps = 200
        run = jax.jit(lambda state, key: jax.lax.scan(generation, (state,), jax.random.split(key, steps)))
        start = jax.random.uniform(jax.random.key(1), (problem.population, problem.dim), kind, -1, 1)
        first = problem.cost(jnp, start, x, y, solve)
        state = de.init(jax.random.key(0), start, first, params)
        (state,), best = run(state, jax.random.key(2))
        best.block_until_ready()
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            (state,), best = run(state, jax.random.key(3 + count))
            best.block_until_ready()
            count += 1
        rates.append(count * steps * problem.population / (time.perf_counter() - began))
    return max(rates)


def onefold_run(onefold, problem, seed, method, *more):
    command = [onefold, "fit", problem.name, "--topology", "-".join(map(str, problem.layers)), "--method", method]
    output = subprocess.run([*command, "--seed", str(seed), "--json", *more], capture_output=True, text=True, check=True)
    return json.loads(output.stdout)


def watched(peer, problem, seed, seconds, to_target):
    watch = Watch(problem, seconds, to_target)
    try:
        with np.errstate(all="ignore"):
            peer(problem, watch, seed)
    except Stop:
        pass
    return watch


def print_table(header, rows):
    for row in [header, ["---"] * len(header), *rows]:
        print("| " + " | ".join(row) + " |", flush=True)
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onefold")
    parser.add_argument("--seconds", type=float, default=2, help="time for each rate")
    parser.add_argument("--limit", type=float, default=10, help="longest time to a target")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--problem", choices=PROBLEMS)
    args = parser.parse_args()
    if not os.access(args.onefold, os.X_OK):
        sys.exit(f"{args.onefold} is not a program; build it with cargo build --release")
    problems = [Problem(args.onefold, name) for name in PROBLEMS if args.problem in (None, name)]

    rows, all_runs, seeds = [], {}, range(args.first_seed, args.first_seed + args.seeds)
    for problem in problems:
        runs = [onefold_run(args.onefold, problem, seed, "de-sb", "--time", f"{args.limit}s") for seed in seeds]
        all_runs[problem.name] = runs
        ours = sum(run["evaluations"] for run in runs) / sum(run["seconds"] for run in runs)
        rates = {name: (lambda w: w.count / w.elapsed)(watched(peer, problem, 1, args.seconds, False)) for name, peer in PEERS.items()}
        rates |= {f"evosax {dtype}": evosax_rate(problem, dtype, args.seconds) for dtype in ("f64", "f32")}
        fastest_f64 = max(rate for name, rate in rates.items() if name != "evosax f32")
        cells = [f"{rate / 1e3:.0f}" for rate in rates.values()]
        ratios = [f"{ours / max(rates.values()):.1f} x", f"{ours / fastest_f64:.1f} x"]
        rows.append([f"{problem.name} {'-'.join(map(str, problem.layers))}", f"{ours / 1e3:.0f}", *cells, *ratios])
    print("Thousand evaluations per second, whole loop, one core; onefold is DE-SB in f64, verified, over whole runs.\n")
    print_table(["problem", "onefold", *rates, "to the fastest", "to the fastest f64"], rows)

    rows = []
    for problem in problems:
        reached = [run["seconds"] for run in all_runs[problem.name] if run["reached"]]
        row = [problem.name, summary(reached, args)]
        for name in ("pycma", "scipy DE"):
            watches = [watched(PEERS[name], problem, seed, args.limit, True) for seed in seeds]
            row.append(summary([w.reached for w in watches if w.reached is not None], args))
        rows.append(row)
    print(f"Seconds to the paper's threshold, median of {args.seeds} seeds, at most {args.limit:g} s each; in brackets how many reached it.\n")
    print_table(["problem", "onefold DE-SB", "pycma (IPOP restarts)", "scipy DE"], rows)


def summary(times, args):
    middle = f"{statistics.median(times):.2f}" if times else "-"
    return f"{middle} ({len(times)} of {args.seeds})"


if __name__ == "__main__":
    main()
