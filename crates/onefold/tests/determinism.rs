//! Same seed, same result, bit for bit. The expected bits are written down, so that this test, run in debug
//! and in release builds, on any machine and with any number of threads, compares all of them with each
//! other.

use onefold::data::{SplitKind, SplitRule, SquareEncoding};
use onefold::{Builtin, BuiltinSettings, FitSettings, Fitted, Method, Scaling, Training, fit};
use std::ops::ControlFlow;

/// Split, encoding and scaling that were the defaults of 0.1.0, with which the bits were recorded.
fn recorded_readings(builtin: Builtin) -> (BuiltinSettings, Scaling) {
    let split = SplitRule { train: 2, test: 2, kind: SplitKind::Shifted };
    match builtin {
        Builtin::TwoSpirals => {
            (BuiltinSettings { split: Some(split), ..Default::default() }, Scaling::DivideBy(6.5))
        }
        Builtin::TicTacToe => {
            let squares = SquareEncoding { x: 2.0, o: 0.0, b: 1.0 };
            (BuiltinSettings { squares, ..Default::default() }, Scaling::None)
        }
        _ => (BuiltinSettings::default(), Scaling::None),
    }
}

fn run(builtin: Builtin, method: Method, seed: u64, threads: usize, generations: u64) -> Fitted {
    let (readings, scaling) = recorded_readings(builtin);
    let data = builtin.load(&readings).unwrap();
    let mut settings = FitSettings::for_builtin(builtin, None, method).unwrap();
    settings.scaling = scaling;
    settings.method.common.population = Some(30);
    settings.method.common.seed = seed;
    settings.cost.threads = threads;
    settings.stop.max_generations = Some(generations);
    settings.stop.threshold = None;
    fit(builtin.name(), &data, &settings).unwrap()
}

/// One number for all bits of the best point and its cost.
fn digest(fitted: &Fitted) -> u64 {
    let report = &fitted.report;
    report
        .best
        .iter()
        .chain([&report.cost])
        .fold(0, |h: u64, v| (h.rotate_left(7) ^ v.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

#[test]
fn results_are_the_recorded_bits() {
    let runs = [
        (Builtin::Sinc, Method::DE_SB, 0),
        (Builtin::Sinc, Method::DE, 0),
        (Builtin::Sinc2d, Method::DE_SB, 1),
        (Builtin::Iris, Method::DE_SB, 2),
        (Builtin::TwoSpirals, Method::DE_SB, 3),
        (Builtin::TicTacToe, Method::DE_SB, 4),
        (Builtin::Sinc, Method::CMA_ES, 5),
        (Builtin::TwoSpirals, Method::CMA_ES, 6),
        (Builtin::Iris, Method::CMA_ES_BIPOP, 7),
        (Builtin::Sinc, Method::JADE, 8),
        (Builtin::Iris, Method::SHADE, 9),
        (Builtin::Sinc2d, Method::L_SHADE, 10),
        (Builtin::Iris, Method::JSO, 11),
    ];
    let recorded = [
        18_209_390_537_268_841_937,
        8_149_608_879_391_019_377,
        8_200_724_657_270_933_576,
        10_245_509_091_239_793_101,
        14_058_734_969_594_262_320,
        15_034_557_790_988_636_868,
        13_430_265_662_576_968_866,
        15_777_851_877_384_061_900,
        12_473_572_860_366_997_900,
        14_183_093_878_536_620_030,
        11_696_096_504_178_621_216,
        12_377_420_097_177_336_446,
        11_929_999_327_715_320_114,
    ];
    for threads in [1, 2] {
        let digests = runs.map(|(builtin, method, seed)| digest(&run(builtin, method, seed, threads, 120)));
        assert_eq!(digests, recorded, "with {threads} threads");
    }
}

#[test]
fn seeds_and_methods_differ() {
    let digests: Vec<u64> = [(Method::DE_SB, 0), (Method::DE_SB, 1), (Method::DE, 0)]
        .map(|(method, seed)| digest(&run(Builtin::Sinc, method, seed, 1, 40)))
        .to_vec();
    assert!(digests[0] != digests[1] && digests[0] != digests[2]);
}

#[test]
fn early_rejection_does_not_change_the_path_of_a_search() {
    for (builtin, population) in [
        (Builtin::Sinc, 160),
        (Builtin::Incsinc, 100),
        (Builtin::Syn5, 80),
        (Builtin::Sinc2d, 120),
        (Builtin::Iris, 40),
        (Builtin::Balance, 60),
        (Builtin::TwoSpirals, 60),
        (Builtin::TicTacToe, 40),
    ] {
        let data = builtin.load(&Default::default()).unwrap();
        let path = |early: bool| {
            let mut settings = FitSettings::for_builtin(builtin, None, Method::DE_SB).unwrap();
            settings.method.common.population = Some(population);
            settings.cost.early_rejection = early;
            settings.stop.max_generations = Some(400);
            let mut path = Vec::new();
            let training = Training::new(builtin.name(), &data, &settings).unwrap();
            let training = training.observe(|progress| {
                path.push((progress.evaluations, progress.costs().map(f64::to_bits).collect::<Vec<_>>()));
                ControlFlow::Continue(())
            });
            let best = training.run().unwrap().report.best;
            (path, best)
        };
        assert_eq!(path(true), path(false), "{builtin}");
    }
}

/// Everything in a result that does not depend on the clock.
fn without_time(fitted: &Fitted) -> Fitted {
    let mut fitted = fitted.clone();
    fitted.report.seconds = 0.0;
    fitted
}

#[test]
fn a_run_resumed_at_any_generation_ends_in_the_same_bits() {
    for (builtin, method) in [
        (Builtin::Iris, Method::DE_SB),
        (Builtin::Iris, Method::DE),
        (Builtin::Syn5, Method::DE_SB),
        (Builtin::Iris, Method::CMA_ES),
        (Builtin::Sinc, Method::CMA_ES_BIPOP),
        (Builtin::Syn5, Method::CMA_ES_IPOP),
        (Builtin::Iris, Method::JADE),
        (Builtin::Iris, Method::SHADE),
        (Builtin::Syn5, Method::L_SHADE),
        (Builtin::Iris, Method::JSO),
    ] {
        let data = builtin.load(&Default::default()).unwrap();
        let mut settings = FitSettings::for_builtin(builtin, None, method).unwrap();
        settings.stop.max_evaluations = Some(60_000);
        settings.stop.stagnation = Some(400);
        let prepare = || Training::new(builtin.name(), &data, &settings).unwrap();
        let mut states = Vec::new();
        let whole = prepare().observe(|progress| {
            if progress.generation % 97 == 1 {
                states.push(progress.save());
            }
            ControlFlow::Continue(())
        });
        let whole = without_time(&whole.run().unwrap());
        // The last generation too, where a resumed run must not go further.
        let mut last = Vec::new();
        let again = prepare().observe(|progress| {
            last = progress.save();
            ControlFlow::Continue(())
        });
        again.run().unwrap();
        states.push(last);
        for state in states {
            let resumed = prepare().resume(&state).run().unwrap();
            assert_eq!(without_time(&resumed), whole, "{builtin} {method}");
        }
        assert!(prepare().resume(b"nonsense").run().is_err());
    }
}
