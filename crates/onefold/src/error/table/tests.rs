use super::*;

fn missing(line: u64) -> TableProblem {
    TableProblem {
        line: Some(line),
        column: Some("a".into()),
        kind: ProblemKind::MissingValue,
        advice: &[Advice::FillIn, Advice::Missing],
    }
}

#[test]
fn problems_are_listed_by_line_and_the_rest_is_counted() {
    let mut error = TableError::new("t.csv");
    for line in (2..=31).rev() {
        error.add(Some(line), || missing(line));
    }
    let lines: Vec<_> = error.problems.iter().map(|p| p.line.unwrap()).collect();
    assert_eq!((lines, error.more), ((2..=21).collect(), 10));
    let mut whole = missing(0);
    (whole.line, whole.column, whole.kind) = (None, None, ProblemKind::NoInputs);
    error.add(None, || whole);
    assert_eq!((error.problems[0].line, error.problems.len(), error.more), (None, MOST_LISTED, 11));
    error.add(Some(40), || panic!("it is not listed"));
    assert_eq!(error.more, 12);
}

#[test]
fn one_problem_is_a_sentence_and_several_are_a_list() {
    let mut error = TableError::new("t.csv");
    assert_eq!(error.clone().check(), Ok(()));
    error.add(Some(3), || missing(3));
    let advice = "fill it in, or choose what becomes of rows with missing values";
    assert_eq!(
        error.to_string(),
        format!("t.csv line 3, column a: the value is missing; {advice} (missing: drop or mean)")
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
