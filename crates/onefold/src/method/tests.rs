use super::*;
use crate::optimizer::{AdaptiveSettings, DeSettings, LocalSettings};
use crate::{Builtin, FitSettings, Training, fit};
use serde_json::json;
use std::collections::HashSet;
use std::ops::ControlFlow;

#[test]
fn names_are_distinct_and_read_back() {
    let names: HashSet<_> = Method::all().map(Method::name).collect();
    assert_eq!(names.len(), Method::all().count());
    for method in Method::all() {
        assert_eq!(method.name().parse::<Method>().unwrap(), method);
        let json = serde_json::to_value(method).unwrap();
        assert_eq!(serde_json::from_value::<Method>(json).unwrap(), method);
        assert!(!method.description().is_empty());
    }
    let error = "ga".parse::<Method>().unwrap_err().to_string();
    assert!(error.contains("must be one of auto, de, de-sb"), "{error}");
}

#[test]
fn settings_survive_their_file_and_unknown_ones_are_refused() {
    for method in Method::all() {
        let mut settings = MethodSettings::new(method);
        settings.common.seed = 5;
        settings.common.population = Some(12);
        let json = serde_json::to_value(&settings).unwrap();
        assert_eq!(serde_json::from_value::<MethodSettings>(json.clone()).unwrap(), settings, "{method}");
        let mut foreign = json;
        foreign[method.name()]["foreign"] = json!(1);
        assert!(serde_json::from_value::<MethodSettings>(foreign).is_err(), "{method}");
    }
    assert!(serde_json::from_value::<MethodSettings>(json!({})).is_err());
    assert!(serde_json::from_value::<MethodSettings>(json!({"de": {}, "jade": {}})).is_err());
}

#[test]
fn settings_of_earlier_versions_are_read() {
    let auto = json!({"auto": {"candidates": 7, "race": true, "recombination": 0.0, "max_steps": 300,
        "patience": 10, "target": null, "start": [-1.0, 1.0], "radius": null, "seed": 3}});
    let auto: MethodSettings = serde_json::from_value(auto).unwrap();
    assert_eq!((auto.common.population, auto.common.seed), (Some(7), 3));
    assert_eq!(auto.own::<LocalSettings>().unwrap().patience, Some(10));
    let jade = |variant: &str| json!({"jade": {"variant": variant, "population": 30, "memory": 1}});
    let read: MethodSettings = serde_json::from_value(jade("jade")).unwrap();
    assert_eq!(read.own::<AdaptiveSettings>().unwrap().memory, Some(1));
    assert!(serde_json::from_value::<MethodSettings>(jade("jso")).is_err(), "a contradiction");
}

#[test]
fn own_settings_are_set_by_name_and_foreign_ones_name_the_methods_that_have_them() {
    let mut settings = MethodSettings::new(Method::DE_SB);
    settings.set_own("crossover_rate", json!(0.3)).unwrap();
    assert!((settings.own::<DeSettings>().unwrap().crossover_rate - 0.3).abs() < 1e-15);
    let wrong = settings.set_own("crossover_rate", json!("often")).unwrap_err().to_string();
    assert!(wrong.starts_with("crossover_rate is \"often\""), "{wrong}");
    let foreign = settings.set_own("sigma", json!(0.3)).unwrap_err().to_string();
    assert_eq!(
        foreign,
        "sigma is for cma-es, cma-es-sb, cma-es-ipop and cma-es-bipop and has no effect with de-sb; leave it out"
    );
}

/// Every method, including the one registered only in tests, trains, and resumes to the same bits.
#[test]
fn every_method_trains_and_resumes() {
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    for method in Method::all() {
        let mut settings = FitSettings::for_builtin(Builtin::Iris, None, method).unwrap();
        settings.stop.max_evaluations = Some(4000);
        settings.stop.threshold = None;
        let whole = fit("iris", &data, &settings).unwrap();
        let mut state = Vec::new();
        let cut = Training::new("iris", &data, &settings).unwrap().observe(|progress| {
            state = progress.save();
            if progress.generation == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        cut.run().unwrap();
        let resumed = Training::new("iris", &data, &settings).unwrap().resume(&state).run().unwrap();
        assert_eq!(resumed.report.best, whole.report.best, "{method}");
    }
}
