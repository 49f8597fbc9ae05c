use super::*;

fn missing(line: u64) -> TableProblem {
    TableProblem {
        line: Some(line),
        column: Some("a".into()),
        kind: ProblemKind::MissingValue,
        also: 0,
        advice: &[Advice::FillIn, Advice::Missing],
    }
}

#[test]
fn the_worst_problems_are_listed_first_and_the_rest_is_counted() {
    let mut error = TableError::new("t.csv");
    for line in (2..=31).rev() {
        error.add(Some(line), || missing(line));
    }
    let listed = |error: &TableError| match error.clone().check() {
        Err(Error::Table(listed)) => listed,
        other => panic!("{other:?}"),
    };
    let lines: Vec<_> = listed(&error).problems.iter().map(|p| p.line.unwrap()).collect();
    assert_eq!((lines, listed(&error).more), ((2..=21).collect(), 10));
    let worse = |line: u64, kind, also| TableProblem { kind, also, ..missing(line) };
    error.add(Some(40), || worse(40, ProblemKind::FieldCount { found: 1, expected: 2 }, 0));
    error.add(Some(35), || worse(35, ProblemKind::StrayText { text: "x".into() }, 7));
    let all = listed(&error);
    assert_eq!(
        (all.problems[0].line, all.problems[1].line, all.problems[2].line),
        (Some(40), Some(35), Some(2))
    );
    assert_eq!((all.problems.len(), all.more), (MOST_LISTED, 12));
    let text = all.to_string();
    assert!(text.starts_with("t.csv has 39 problems:"), "{text}");
    assert!(
        text.contains(
            "line 35, column a: \"x\" is not a number, as most values of the column are (and 7 more"
        )
    );
    for line in 1000..2000 {
        error.add(Some(line), || missing(line));
    }
    error.add(Some(5000), || panic!("it is not listed"));
}

#[test]
fn one_problem_is_a_sentence_and_several_are_a_list() {
    let mut error = TableError::new("t.csv");
    assert_eq!(error.clone().check(), Ok(()));
    error.add(Some(3), || missing(3));
    let advice = "fill it in, or choose what becomes of rows with missing values";
    assert_eq!(
        error.to_string(),
        format!("t.csv line 3, column a: the value is missing; {advice} (missing: indicate, drop or mean)")
    );
    error.add(Some(7), || missing(7));
    error.more = 5;
    let text = error.message(|advice| format!("{advice:?}"));
    assert_eq!(
        text,
        "t.csv has 7 problems:\n  line 3, column a: the value is missing; FillIn, or Missing\n  \
         line 7, column a: the value is missing\n  and 5 more"
    );
}
