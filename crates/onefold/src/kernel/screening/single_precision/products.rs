//! Scalar products of columns with each other and with the targets, a tile at a time, in double precision.

use super::super::super::lanes::{Block, Lanes};
use super::{Half, TILE};

/// Columns that are processed at a time.
const GROUP: usize = 4;

/// Adds a tile to all scalar products.
#[inline(always)]
pub(super) fn accumulate<L: Lanes>(targets: &[[f64; TILE]], half: &mut Half) {
    let Half { columns, triangle, .. } = half;
    let total = triangle.inverse.len();
    let sums = &mut triangle.factor;
    match total {
        // Few enough that all sums stay in registers.
        1 => all_products::<L, 1>(columns, sums),
        2 => all_products::<L, 2>(columns, sums),
        3 => all_products::<L, 3>(columns, sums),
        4 => all_products::<L, 4>(columns, sums),
        5 => all_products::<L, 5>(columns, sums),
        6 => all_products::<L, 6>(columns, sums),
        _ => products_by_groups::<L>(columns, sums),
    }
    for (target, sums) in targets.iter().zip(triangle.with_targets.chunks_exact_mut(total)) {
        for i in (0..total).step_by(GROUP) {
            let (group, sums) = (&columns[i..], &mut sums[i..]);
            match group.len().min(GROUP) {
                GROUP => with_target::<L, GROUP>(group, target, sums),
                3 => with_target::<L, 3>(group, target, sums),
                2 => with_target::<L, 2>(group, target, sums),
                _ => with_target::<L, 1>(group, target, sums),
            }
        }
    }
}

#[inline(always)]
fn all_products<L: Lanes, const N: usize>(columns: &[[Block; TILE]], out: &mut [Block]) {
    let columns = &columns[..N];
    let mut sums = [[L::splat(0.0); N]; N];
    for row in 0..TILE {
        for i in 0..N {
            let v = L::load(&columns[i][row]);
            for j in i..N {
                sums[i][j] = v.mul_add(L::load(&columns[j][row]), sums[i][j]);
            }
        }
    }
    for i in 0..N {
        for j in i..N {
            let out = &mut out[i * N + j];
            L::load(out).add(sums[i][j]).store(out);
        }
    }
}

#[inline(always)]
fn products_by_groups<L: Lanes>(columns: &[[Block; TILE]], sums: &mut [Block]) {
    let total = columns.len();
    for i in (0..total).step_by(2) {
        let pair = &columns[i..];
        for j in (i..total).step_by(GROUP) {
            let group = &columns[j..];
            let sums = &mut sums[i * total + j..];
            match (pair.len().min(2), group.len().min(GROUP)) {
                (2, GROUP) => products::<L, 2, GROUP>(pair, group, total, sums),
                (2, 3) => products::<L, 2, 3>(pair, group, total, sums),
                (2, 2) => products::<L, 2, 2>(pair, group, total, sums),
                (2, _) => products::<L, 2, 1>(pair, group, total, sums),
                (_, _) => products::<L, 1, 1>(pair, group, total, sums),
            }
        }
    }
}

#[inline(always)]
fn products<L: Lanes, const A: usize, const B: usize>(
    a: &[[Block; TILE]],
    b: &[[Block; TILE]],
    total: usize,
    out: &mut [Block],
) {
    let (a, b) = (&a[..A], &b[..B]);
    let mut sums = [[L::splat(0.0); B]; A];
    for row in 0..TILE {
        let mut others = [L::splat(0.0); B];
        for j in 0..B {
            others[j] = L::load(&b[j][row]);
        }
        for i in 0..A {
            let v = L::load(&a[i][row]);
            for j in 0..B {
                sums[i][j] = v.mul_add(others[j], sums[i][j]);
            }
        }
    }
    for i in 0..A {
        for j in 0..B {
            let out = &mut out[i * total + j];
            L::load(out).add(sums[i][j]).store(out);
        }
    }
}

#[inline(always)]
fn with_target<L: Lanes, const A: usize>(a: &[[Block; TILE]], target: &[f64; TILE], out: &mut [Block]) {
    let (a, out) = (&a[..A], &mut out[..A]);
    let mut sums = [L::splat(0.0); A];
    for row in 0..TILE {
        let y = L::splat(target[row]);
        for i in 0..A {
            sums[i] = L::load(&a[i][row]).mul_add(y, sums[i]);
        }
    }
    for i in 0..A {
        L::load(&out[i]).add(sums[i]).store(&mut out[i]);
    }
}
