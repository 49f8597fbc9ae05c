"""What the rotation matrices of CEC 2014 look like, as far as pygmo's copy of the functions shows it.

Two coordinates are in one block of the matrix if moving both does not change a separable function by the sum of the single changes
(F6, F9 and F11 are sums over rotated coordinates). F2 is a quadratic form; where its first, short axis is not involved, its
blocks are 1e6 M^T M, and their eigenvalues show the singular values of M.
"""

import numpy as np
import pygmo


def parts(linked):
    """Connected components."""
    found, left = [], set(range(len(linked)))
    while left:
        part, new = set(), {min(left)}
        while new:
            part |= new
            new = {j for i in new for j in np.flatnonzero(linked[i])} - part
        found.append(sorted(part))
        left -= part
    return found


def mixed(f, x, steps):
    """Mixed second differences of f at x."""
    at, single = f(x), [f(x + s) for s in steps]
    pair = lambda i, j: f(x + steps[i] + steps[j]) - single[i] - single[j] + at
    return np.array([[pair(i, j) for j in range(len(x))] for i in range(len(x))]), abs(at)


def main():
    rng = np.random.default_rng(1)
    for dim in (10, 30):
        for function in (1, 6, 9, 11):
            problem = pygmo.problem(pygmo.cec2014(prob_id=function, dim=dim))
            linked = np.zeros((dim, dim), bool)
            for _ in range(4):
                steps = np.diag(rng.uniform(3, 15, dim))
                change, scale = mixed(lambda x: problem.fitness(x)[0], rng.uniform(-60, 60, dim), steps)
                linked |= abs(change) > 1e-9 * scale
            print(f"D = {dim}, F{function}: blocks of", sorted(map(len, parts(linked))))
        problem = pygmo.problem(pygmo.cec2014(prob_id=2, dim=dim))
        form, _ = mixed(lambda x: problem.fitness(x)[0], np.zeros(dim), 40 * np.eye(dim))
        form /= 2e6 * 40**2
        for part in parts(abs(form) > 1e-9):
            values = np.sqrt(abs(np.linalg.eigvalsh(form[np.ix_(part, part)])))
            print(f"D = {dim}, F2: block of {len(part)}, singular values", values.round(3))


if __name__ == "__main__":
    main()
