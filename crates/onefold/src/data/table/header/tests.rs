use super::*;

fn verdict(text: &str) -> Verdict {
    let cell = |field: &str| match field.strip_prefix('"').and_then(|f| f.strip_suffix('"')) {
        Some(inner) => Cell { text: inner.into(), is_quoted: true },
        None => Cell { text: field.into(), is_quoted: false },
    };
    let mut lines: Vec<Vec<Cell>> = text.lines().map(|l| l.split(',').map(cell).collect()).collect();
    let first = lines.remove(0);
    detect(&first, &lines)
}

#[test]
fn names_are_told_from_rows_by_evidence() {
    let names = Verdict::NAMES;
    let row = Verdict::ROW;
    for (text, expected) in [
        ("a,b\n1,2\n", names),
        ("a,b\n1,2\na,b\n3,4\n", names),
        ("1st,2nd,y\n1,2,3\n", names),
        ("a,a,y\n1,2,3\n", names),
        (",a,b\n0,1,2\n", names),
        ("a,y\n1,2\n3,oops\n4,5\n", names),
        ("\"2020\",\"2021\"\n1,2\n", names),
        ("id,2020,2021,y\n1,2,3,4\n5,6,7,8\n", names.in_doubt()),
        ("id,2020,2021,y\n1,2000,3000,4\n5,3000,2000,8\n", names.in_doubt()),
        ("x,2018,2019,2020\n1,2,3,4\n5,6,7,8\n", names.in_doubt()),
        ("region,2020,2021,class\nnorth,1,2,u\nsouth,3,4,v\n", names.in_doubt()),
        // A first row with one wrong field is not dropped; the field is reported instead.
        ("oops,5,3\n1,2,3\n4,5,6\n", row.in_doubt()),
        ("oops,red\n1,red\n2,blue\n", row.in_doubt()),
        ("1,2\n3,4\n", row),
        ("2020,2021\n1,2\n3,4\n", row.in_doubt()),
        ("1,a\n2,b\n", row),
        ("red,a\nblue,b\nred,b\n", row),
        ("colour,kind\nred,a\nblue,b\n", names.in_doubt()),
        ("None,1\n2,3\n4,5\n", row),
        ("a,b\n", names),
        ("a,1\n", row),
    ] {
        assert_eq!(verdict(text), expected, "{text}");
    }
    let recurring = |first: &str| format!("{first}\n{}", "red,a\nblue,b\n".repeat(10));
    assert_eq!(verdict(&recurring("colour,kind")), names);
    assert_eq!(verdict(&recurring("red,kind")), row);
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn uniform(&mut self) -> f64 {
        self.below(1 << 31) as f64 / (1_u64 << 31) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// 40 rows that follow a first line.
fn rows(row: impl Fn(usize, &mut Random) -> String) -> String {
    let mut random = Random(7);
    (0..40).fold(String::new(), |text, i| text + "\n" + &row(i, &mut random))
}

#[test]
fn numbers_that_are_unlike_their_columns_are_names() {
    let towns = ["Rome", "Oslo", "New York", "Bonn", "Sao Paulo", "Lima"];
    let town = |i: usize| format!("{} {}", towns[i % 6], ["north", "b", "old town", "x-y"][i / 6 % 4]);
    let small =
        rows(|i, r| format!("{},{},{},{}", town(i), 1 + r.below(10), 1 + r.below(10), 1 + r.below(10)));
    let coded = rows(|i, r| format!("g{i},{},{},{}", 1 + r.below(10), 1 + r.below(10), 1 + r.below(10)));
    let pets = rows(|i, r| {
        format!(
            "{},{},{},{}",
            r.below(10),
            r.below(10),
            r.below(10),
            ["cat", "dog"][(i + r.below(2) as usize) % 2]
        )
    });
    let whole = rows(|_, r| format!("{},{},{},{}", r.below(9), r.below(9), r.below(9), r.below(9)));
    let shares =
        rows(|_, r| format!("0.{},0.{},.{},0.{}", r.below(99), r.below(99), r.below(99), r.below(99)));
    let indexed = rows(|i, r| format!("{i},{},{},{}", r.below(9), r.below(9), r.below(9)));
    for (first, below) in [
        ("country,2021,2020,2019", &small),
        ("country,1850,1900,1950", &small),
        ("country,10,20,30", &small),
        ("gene,0.5,1.0,2.0", &small),
        ("gene,0.5,1.0,2.0", &coded),
        ("sample,400,410,420", &small),
        ("country,2020,2020.1,2021", &small),
        ("0,1,2,3", &pets),
        ("1,2,3,4", &pets),
        ("0,1,2,4", &pets),
        ("1100,1102,1104,1106", &shares),
        ("2021,2020,2019,2018", &whole),
        ("0,1,2,3", &shares),
        ("0,1,2,3", &indexed),
        (",0,1,2", &indexed),
        (",2019,2020,2021", &indexed),
    ] {
        let found = verdict(&format!("{first}{below}"));
        let is_fine = found == Verdict::NAMES.in_doubt() || (first == "0,1,2,4" && !found.is_sure);
        assert!(is_fine, "{first}{}: {found:?}", &below[..60]);
    }
    for first in ["0,1,2,3", "1,2,3,4"] {
        assert_eq!(verdict(&format!("{first}{whole}")), Verdict::ROW.in_doubt(), "{first}");
    }
    let mixed = rows(|i, r| format!("{},{},{},{}", town(i), r.below(50), r.below(50), r.below(50)));
    assert_eq!(verdict(&format!("country,10,20,30{mixed}")), Verdict::ROW.in_doubt());
    // Images, in which some pixels are always empty.
    let pixel = |k: u64, r: &mut Random| if k.is_multiple_of(8) { 0 } else { r.below(17) };
    let line = |pixels: Vec<u64>| pixels.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let images = rows(|_, r| line((0..65).map(|k| pixel(k, r)).collect()));
    assert_eq!(verdict(&(line((0..65).collect()) + &images)), Verdict::NAMES.in_doubt());
    assert_eq!(verdict(images.trim_start()), Verdict::ROW);
}

#[test]
fn tables_of_numbers_without_names_are_rows_mostly_without_doubt() {
    let mut random = Random(5);
    let (mut cases, mut doubtful) = (0, 0);
    for case in 0..3000 {
        let width = 1 + case % 6;
        let lines = [3, 6, 12, 40, 150][case / 6 % 5];
        let kind = case / 30 % 8;
        let mut text = String::new();
        for i in 0..lines {
            let mut cell = |k: usize| -> String {
                let uniform = random.uniform();
                let normal = random.normal();
                match kind {
                    0 => format!("{uniform}"),
                    1 => format!("{normal:.2}"),
                    2 => format!("{}", (uniform * 10.0) as u32),
                    3 if k == 0 => format!("{i}"),
                    3 => format!("{:.3}", normal + f64::from(i)),
                    4 if k == 0 => format!("{}", f64::from(i) / 100.0),
                    4 => format!("{}", (normal * 100.0).round() / 100.0),
                    5 => format!("{:.1}", normal.exp()),
                    6 if k == 0 => format!("{}", 1950 + i),
                    6 => format!("{}", 1900 + (uniform * 120.0) as u32),
                    _ if k + 1 == width && k > 0 => ["cat", "dog"][usize::from(uniform < 0.5)].into(),
                    _ => format!("{:.2}", uniform * 100.0),
                }
            };
            text += &((0..width).map(&mut cell).collect::<Vec<_>>().join(",") + "\n");
        }
        let found = verdict(&text);
        assert!(!found.is_header, "kind {kind}\n{text}");
        cases += 1;
        doubtful += usize::from(!found.is_sure);
    }
    assert!(doubtful * 100 < cases, "{doubtful} of {cases}");
}
