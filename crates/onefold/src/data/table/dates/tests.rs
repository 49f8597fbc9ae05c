use super::*;
use crate::data::table::calendar::iso;

#[test]
fn dates_are_read_as_they_are_written() {
    for (text, expected) in [
        ("2021-03-04", "2021-03-04"),
        ("2021/3/4", "2021-03-04"),
        ("2021.03.04", "2021-03-04"),
        ("2021-03", "2021-03-01"),
        ("2021-03-04T05:06:07Z", "2021-03-04 05:06:07"),
        ("2021-03-04 05:06", "2021-03-04 05:06:00"),
        ("2021-03-04T05:06:07.5+02:00", "2021-03-04 03:06:07"),
        ("2021-03-04T23:06:07-0330", "2021-03-05 02:36:07"),
        ("04.03.2021", "2021-03-04"),
        ("04.03.21", "2021-03-04"),
        ("31/12/1999", "1999-12-31"),
        ("4 March 2021", "2021-03-04"),
        ("4-Mar-21", "2021-03-04"),
        ("Mar 4, 2021", "2021-03-04"),
        ("March 4th, 2021 1:05 PM", "2021-03-04 13:05:00"),
        ("Sept 2021", "2021-09-01"),
        ("Thu, 4 Mar 2021 00:00:01 GMT", "2021-03-04 00:00:01"),
        ("4/3/2021, 12:00 am", "2021-03-04"),
        ("29.02.2024", "2024-02-29"),
    ] {
        let found = read_date(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((iso(found.readings[0]).as_str(), found.is_clock), (expected, false), "{text}");
    }
    let us = read_date("12/31/1999").unwrap().readings;
    assert!(us[0].is_nan() && iso(us[1]) == "1999-12-31");
    let both = read_date("3/4/21").unwrap().readings.map(iso);
    assert_eq!(both, ["2021-04-03", "2021-03-04"]);
    assert_eq!(read_date("13:30"), Some(DateRead { readings: [48_600.0; 2], is_clock: true }));
    assert_eq!(read_date("1:30:15 pm"), Some(DateRead { readings: [48_615.0; 2], is_clock: true }));
}

#[test]
fn what_is_no_date_is_none() {
    for text in [
        "",
        "abc",
        "2021",
        "20210304",
        "1.2.3",
        "1.2.21",
        "1/2",
        "12.5",
        "2021-13-01",
        "2021-02-29",
        "32.01.2021",
        "2021-3",
        "2021-03-04x",
        "2021-03-04 25:00",
        "r1",
        "Mar",
        "May",
        "3:2",
        "24:00",
        "12:60",
        "5 kg",
        "2021-03-04T",
        "4 Mars 2021",
        "555-1234",
        "12-34-56",
        "192.168.1.1",
        "0/0/2021",
    ] {
        assert_eq!(read_date(text), None, "{text}");
    }
}
