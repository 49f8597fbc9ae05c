use super::*;

/// Residuals of Rosenbrock's function, its cost and its slopes.
fn rosenbrock(x: &[f64]) -> (f64, Slopes) {
    let residuals = [10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]];
    let jacobian = [[-20.0 * x[0], 10.0], [-1.0, 0.0]];
    let cost = dot(&residuals, &residuals);
    let half_gradient = (0..2).map(|i| (0..2).map(|k| jacobian[k][i] * residuals[k]).sum()).collect();
    let matrix = (0..4).map(|p| (0..2).map(|k| jacobian[k][p / 2] * jacobian[k][p % 2]).sum()).collect();
    (cost, Slopes { half_gradient, matrix })
}

fn descend<D: Descent>(start: [f64; 2], radius: f64) -> Position {
    let mut descent = D::new(start.to_vec());
    let mut work = D::work(2);
    let mut cost_before = f64::INFINITY;
    while !descent.position().has_converged && descent.position().steps < 500 {
        let (cost, mut slopes) = rosenbrock(&descent.position().trial);
        descent.learn(cost, &mut slopes, radius, &mut work);
        let Position { cost, trial, .. } = descent.position();
        assert!(*cost <= cost_before, "the cost never increases");
        assert!(norm(trial) <= radius * (1.0 + 1e-12), "every point is inside the sphere");
        cost_before = *cost;
    }
    descent.position().clone()
}

#[test]
fn finds_the_minimum_of_a_curved_valley() {
    let end = descend::<LevenbergMarquardt>([-1.2, 1.0], 10.0);
    assert!(end.cost < 1e-20 && end.steps < 60, "{end:?}");
    let end = descend::<Lbfgs>([-1.2, 1.0], 10.0);
    assert!(end.cost < 1e-12 && end.steps < 100, "{end:?}");
}

#[test]
fn finds_the_minimum_on_the_sphere_if_the_unconstrained_one_is_outside() {
    // The reference is a fine grid on the circle.
    let best = (0..1_000_000)
        .map(|i| {
            let angle = f64::from(i) * 1e-6 * std::f64::consts::TAU;
            rosenbrock(&[angle.cos(), angle.sin()]).0
        })
        .fold(f64::INFINITY, f64::min);
    for end in [descend::<LevenbergMarquardt>([-0.2, 0.5], 1.0), descend::<Lbfgs>([-0.2, 0.5], 1.0)] {
        assert!((norm(&end.x) - 1.0).abs() < 1e-9, "{end:?}");
        assert!((end.cost - best).abs() < 1e-6 * best, "{} and {best}", end.cost);
    }
}

#[test]
fn a_paused_descent_continues_as_if_it_had_not_been_paused() {
    paused::<LevenbergMarquardt>();
    paused::<Lbfgs>();
}

fn paused<D: Descent>() {
    let mut one = D::new(vec![-1.2, 1.0]);
    let mut work = D::work(2);
    let mut step = |descent: &mut D| {
        let (cost, mut slopes) = rosenbrock(&descent.position().trial);
        descent.learn(cost, &mut slopes, 10.0, &mut work);
    };
    (0..7).for_each(|_| step(&mut one));
    let mut other = one.clone();
    other.discard_slopes();
    step(&mut other);
    assert_eq!(one, other);
}

#[test]
fn on_other_rows_a_descent_goes_on_with_what_it_knows_of_the_curvature() {
    // After 15 steps, the cost is multiplied by 1.1, as another sample might do.
    let steps = |is_new: bool| {
        let mut descent = Lbfgs::new(vec![-1.2, 1.0]);
        let step = |descent: &mut Lbfgs, factor: f64| {
            let (cost, mut slopes) = rosenbrock(&descent.position().trial);
            slopes.half_gradient.iter_mut().for_each(|g| *g *= factor);
            descent.learn(factor * cost, &mut slopes, 10.0, &mut ());
        };
        (0..15).for_each(|_| step(&mut descent, 1.0));
        let point = descent.position().x.clone();
        descent = if is_new { Lbfgs::new(point.clone()) } else { descent.on_other_rows() };
        let Position { x, cost, trial, steps, has_converged } = descent.position();
        assert_eq!((x, trial, *cost, *steps), (&point, &point, f64::INFINITY, 0), "it is not evaluated yet");
        assert!(!has_converged && descent.needs_slopes());
        while descent.position().cost > 1e-10 && descent.position().steps < 500 {
            step(&mut descent, 1.1);
        }
        descent.position().steps
    };
    assert!(steps(false) + 5 <= steps(true), "{} steps, {} without", steps(false), steps(true));
}
