//! Dates in an ONNX graph: seconds after 1 January 1970 become days and angles, in double precision.

use super::super::encoding::{Column, Date};
use super::graph::Graph;
use crate::data::DatePart;
use std::f64::consts::TAU;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Arithmetic on one column, whose values are named by numbers.
struct Arithmetic<'a, 'b> {
    graph: &'a mut Graph<'b>,
    column: usize,
    next: usize,
}

impl Arithmetic<'_, '_> {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("column_{}_date_{}", self.column, self.next)
    }

    fn constant(&mut self, v: f64) -> String {
        let name = self.name();
        self.graph.doubles(&name, &[1], &[v]);
        name
    }

    fn of(&mut self, op: &str, operands: &[&str]) -> String {
        let name = self.name();
        self.graph.node(op, operands, &name, &[]);
        name
    }

    /// An operation on a value and a number.
    fn by(&mut self, op: &str, x: &str, v: f64) -> String {
        let constant = self.constant(v);
        self.of(op, &[x, &constant])
    }

    /// The greatest whole number that is not above `x / v`.
    fn quotient(&mut self, x: &str, v: f64) -> String {
        let quotient = self.by("Div", x, v);
        self.of("Floor", &[&quotient])
    }

    /// The rest of that division.
    fn rest(&mut self, x: &str, v: f64) -> String {
        let quotient = self.quotient(x, v);
        let whole = self.by("Mul", &quotient, v);
        self.of("Sub", &[x, &whole])
    }

    /// Where in the day, the week or the year a time is, from 0 to 1.
    fn turn(&mut self, part: DatePart, seconds: &str) -> String {
        let day = self.quotient(seconds, DAY);
        match part {
            DatePart::Hour => {
                let rest = self.rest(seconds, DAY);
                self.by("Div", &rest, DAY)
            }
            DatePart::Weekday => {
                let day = self.by("Add", &day, 3.0);
                let of_week = self.rest(&day, 7.0);
                self.by("Div", &of_week, 7.0)
            }
            DatePart::Month => self.time_of_year(&day),
        }
    }

    /// The leap years before a year of an era of 400 years that begins with a leap year.
    fn leap_years(&mut self, year: &str) -> String {
        let (fours, hundreds) = (self.quotient(year, 4.0), self.quotient(year, 100.0));
        let without = self.of("Sub", &[&fours, &hundreds]);
        let eras = self.quotient(year, 400.0);
        self.of("Add", &[&without, &eras])
    }

    /// Of days after 1 January 1970. Years are counted from 1 March on, so that 29 February is the last day
    /// of one, and in eras of 400 years, which have 146,097 days.
    fn time_of_year(&mut self, day: &str) -> String {
        let day = self.by("Add", day, 719_468.0);
        let of_era = self.rest(&day, 146_097.0);
        // Days without the leap days before them, as if all years had 365.
        let (a, b, c) = (
            self.quotient(&of_era, 1460.0),
            self.quotient(&of_era, 36_524.0),
            self.quotient(&of_era, 146_096.0),
        );
        let even = self.of("Sub", &[&of_era, &a]);
        let even = self.of("Add", &[&even, &b]);
        let even = self.of("Sub", &[&even, &c]);
        let year = self.quotient(&even, 365.0);
        let leap_years = self.leap_years(&year);
        let of_years = self.by("Mul", &year, 365.0);
        let of_years = self.of("Add", &[&of_years, &leap_years]);
        let of_year = self.of("Sub", &[&of_era, &of_years]);
        // Five months from March on have 153 days, and so have those from August on.
        let fives = self.by("Mul", &of_year, 5.0);
        let fives = self.by("Add", &fives, 2.0);
        let month = self.quotient(&fives, 153.0);
        let before = self.by("Mul", &month, 153.0);
        let before = self.by("Add", &before, 2.0);
        let before = self.quotient(&before, 5.0);
        let of_month = self.of("Sub", &[&of_year, &before]);
        let length = self.days_in_month(&month, &year, &leap_years);
        let share = self.of("Div", &[&of_month, &length]);
        let later = self.by("Add", &month, 2.0);
        let month = self.rest(&later, 12.0);
        let months = self.of("Add", &[&month, &share]);
        self.by("Div", &months, 12.0)
    }

    /// Days of a month, counted from March on, of a year of an era.
    fn days_in_month(&mut self, month: &str, year: &str, leap_years: &str) -> String {
        // The first day of the next month, without leap days, and of this one.
        let start = |this: &mut Self, month: &str| {
            let days = this.by("Mul", month, 153.0);
            let days = this.by("Add", &days, 2.0);
            this.quotient(&days, 5.0)
        };
        let next = self.by("Add", month, 1.0);
        let (end, start) = (start(self, &next), start(self, month));
        let length = self.of("Sub", &[&end, &start]);
        // By this rule February, the last month, has 31 days; it has 28, and one more before a leap year.
        let next_year = self.by("Add", year, 1.0);
        let next_leap_years = self.leap_years(&next_year);
        let leap = self.of("Sub", &[&next_leap_years, leap_years]);
        let february = self.by("Add", &leap, 28.0);
        let eleven = self.constant(10.5);
        let is_february = self.of("Greater", &[month, &eleven]);
        self.of("Where", &[&is_february, &february, &length])
    }
}

impl Graph<'_> {
    /// Appends the inputs of a column of dates.
    pub(super) fn date(
        &mut self,
        column: &Column,
        date: &Date,
        i: usize,
        input: &str,
        parts: &mut Vec<String>,
    ) {
        let real = self.real() as u64;
        let mut all = Arithmetic { graph: self, column: i, next: 0 };
        let elapsed = all.by("Sub", input, date.origin);
        let mut values = vec![all.by("Div", &elapsed, DAY)];
        for part in &date.parts {
            let turn = all.turn(*part, input);
            let angle = all.by("Mul", &turn, TAU);
            values.push(all.of("Sin", &[&angle]));
            values.push(all.of("Cos", &[&angle]));
        }
        let [is_missing, filling, value, filled, rounded] =
            ["is_missing", "filling", "value", "filled", "rounded"].map(|what| format!("column_{i}_{what}"));
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.node("Concat", &values, &value, &[("axis", 1)]);
        self.node("IsNaN", &[input], &is_missing, &[]);
        let missing = column.missing.clone().unwrap_or_else(|| vec![f64::NAN; column.width]);
        self.doubles(&filling, &[1, column.width], &missing);
        self.node("Where", &[&is_missing, &filling, &value], &filled, &[]);
        self.node("Cast", &[&filled], &rounded, &[("to", real)]);
        parts.push(rounded);
        self.indicator(column, i, &is_missing, parts);
    }
}
