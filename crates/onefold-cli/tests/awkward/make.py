"""Writes the tables of this folder: each is named after its trouble.

python crates/onefold-cli/tests/awkward/make.py

Most have 40 rows, a number `size` and a target `price` that follows from it and one more column.
"""

import datetime
import gzip
from pathlib import Path

FOLDER = Path(__file__).parent / "tables"
ROWS = 40
COLOURS = ["red", "blue", "green"]


def size(i):
    return (i * 7 % 23) + 0.5 * (i % 3)


def price(i):
    return 10 + 3 * size(i) + (i % 3)


def german(v, digits=2):
    """1.234,50"""
    return f"{v:,.{digits}f}".replace(",", "_").replace(".", ",").replace("_", ".")


def table(head, row, rows=ROWS, delimiter=",", end="\n"):
    lines = [head] if head else []
    lines += [row(i) for i in range(rows)]
    return end.join(delimiter.join(str(cell) for cell in line) for line in lines) + end


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def day(i):
    return datetime.date(2021, 1, 4) + datetime.timedelta(days=9 * i % 300)


def moment(i):
    return datetime.datetime(2021, 3, 1) + datetime.timedelta(hours=7 * i, minutes=13 * i)


def numbers():
    """Numbers as written."""
    head = ["size", "area", "price"]
    area = lambda i: 900 + 77.25 * i
    yield "decimal_comma_with_semicolons", table(head, lambda i: (german(size(i), 1), german(area(i)), german(price(i))), delimiter=";")
    yield "decimal_comma_in_quotes", table(head, lambda i: (quoted(german(size(i), 1)), quoted(german(area(i))), quoted(german(price(i)))))
    yield "thousands_commas_in_quotes", table(head, lambda i: (size(i), quoted(f"{1000 * area(i):,.0f}"), price(i)))
    yield "thousands_spaces", table(head, lambda i: (size(i), f"{1000 * area(i):,.0f}".replace(",", "\u202f"), price(i)))
    yield "thousands_apostrophes", table(head, lambda i: (size(i), f"{1000 * area(i):,.2f}".replace(",", "’"), price(i)))
    yield "indian_grouping", table(head, lambda i: (size(i), quoted(f"{i % 9 + 1},{10 + i},{100 + i}"), price(i)))
    yield "dollars", table(head, lambda i: (size(i), quoted(f"${area(i):,.2f}"), quoted(f"${price(i):,.2f}")))
    yield "euros_behind", table(head, lambda i: (german(size(i), 1), german(area(i)) + " €", german(price(i)) + " €"), delimiter=";")
    yield "currency_codes", table(head, lambda i: (size(i), f"CHF {area(i)}", price(i)))
    yield "two_currencies", table(head, lambda i: (size(i), f"{'$' if i % 2 else '€'}{area(i)}", price(i)))
    yield "percent_signs", table(["size", "share", "price"], lambda i: (size(i), f"{i * 3 % 41} %", price(i)))
    yield "percent_signs_in_some_rows", table(["size", "share", "price"], lambda i: (size(i), f"{i * 3 % 41}{'%' if i % 4 else ''}", price(i)))
    yield "unicode_minus", table(head, lambda i: (size(i), f"{(i % 11) - 5}".replace("-", "\u2212"), price(i)))
    yield "accounting_parentheses", table(head, lambda i: (size(i), f"({i % 7 + 1}.50)" if i % 3 else f"{i}.25", price(i)))
    yield "comma_that_may_be_either", table(head, lambda i: (int(size(i)), quoted(f"{i % 9 + 1},{100 + i}"), int(price(i))))
    yield "comma_decided_by_other_columns", table(head, lambda i: (german(size(i), 1), f"{i % 9 + 1},{100 + i}", german(price(i))), delimiter=";")
    yield "point_and_comma_mixed", table(head, lambda i: (size(i), quoted(f"{i},5" if i % 5 else f"{i}.25"), price(i)))
    yield "units_behind_numbers", table(["size", "weight", "price"], lambda i: (size(i), f"{i * 3 % 17} kg", price(i)))
    yield "spreadsheet_errors", table(head, lambda i: (size(i), "#DIV/0!" if i % 10 == 3 else area(i), price(i)))


def dates():
    """Dates and times."""
    head = ["when", "size", "price"]
    yield "iso_dates", table(head, lambda i: (day(i).isoformat(), size(i), price(i)))
    yield "iso_times_with_offset", table(head, lambda i: (moment(i).isoformat() + "+02:00", size(i), price(i)))
    yield "german_dates", table(head, lambda i: (f"{day(i):%d.%m.%Y}", german(size(i), 1), german(price(i))), delimiter=";")
    yield "american_dates", table(head, lambda i: (f"{day(i):%m/%d/%Y}", size(i), price(i)))
    yield "british_dates", table(head, lambda i: (f"{day(i):%d/%m/%y}", size(i), price(i)))
    yield "dates_of_either_order", table(head, lambda i: (f"{i % 12 + 1}/{(i * 5) % 12 + 1}/2021", size(i), price(i)))
    yield "dates_with_month_names", table(head, lambda i: (quoted(f"{day(i):%b} {day(i).day}, {day(i).year}"), size(i), price(i)))
    yield "times_of_day", table(head, lambda i: (f"{i * 5 % 12 + 1}:{i * 7 % 60:02} {'PM' if i % 2 else 'AM'}", size(i), price(i)))
    yield "dates_with_gaps", table(head, lambda i: ("" if i % 8 == 5 else day(i).isoformat(), size(i), price(i)))
    yield "dates_with_a_word_among_them", table(head, lambda i: ("last week" if i == 17 else day(i).isoformat(), size(i), price(i)))
    yield "many_dates_of_a_day_each", table(head, lambda i: ((datetime.date(2019, 1, 1) + datetime.timedelta(days=i)).isoformat(), size(i), price(i)), rows=800)


def missing():
    """Missing values."""
    gap = lambda mark, every: lambda i: (mark if i % every == 4 else size(i), COLOURS[i % 3], price(i))
    head = ["size", "colour", "price"]
    yield "gaps_in_numbers", table(head, gap("", 9))
    yield "gaps_of_every_kind", table(head, lambda i: (["NA", "?", "-", "null", "N/A", "nan", "."][i // 5 % 7] if i % 5 == 2 else size(i), COLOURS[i % 3], price(i)))
    yield "gaps_in_text", table(head, lambda i: (size(i), "" if i % 6 == 1 else COLOURS[i % 3], price(i)))
    yield "gaps_in_the_target", table(head, lambda i: (size(i), COLOURS[i % 3], "" if i % 7 == 3 else price(i)))
    yield "a_column_without_values", table(["size", "remark", "price"], lambda i: (size(i), "", price(i)))
    yield "one_text_and_gaps", table(["size", "code", "price"], lambda i: (size(i), "" if i % 3 else "SALE", price(i)))
    yield "one_number_and_gaps", table(["size", "code", "price"], lambda i: (size(i), "" if i % 3 else 7, price(i)))
    yield "half_of_all_missing", table(head, lambda i: ("" if i % 2 else size(i), "" if i % 3 else COLOURS[i // 3 % 3], price(i)))


def words():
    """Text."""
    yes = lambda i: (i * 7 % 5) > 2
    yield "yes_and_no", table(["size", "garden", "price"], lambda i: (size(i), ["no", "Yes", "NO", "yes"][2 * (i % 2) + yes(i)], price(i) + 5 * yes(i)))
    yield "true_and_false_with_gaps", table(["size", "garden", "price"], lambda i: (size(i), "" if i % 9 == 4 else str(yes(i)).upper(), price(i)))
    yield "names_of_every_row", table(["name", "size", "price"], lambda i: (f"house of family {i * 17 % 97}", size(i), price(i)))
    yield "uuids", table(["id", "size", "price"], lambda i: (f"{i * 2654435761 % 2**32:08x}-{i:04x}-4{i:03x}-a000-{i * 40503:012x}", size(i), price(i)))
    yield "many_cities", table(["city", "size", "price"], lambda i: (f"city {min(i * 7 % 90, i * 11 % 80)}", size(i), price(i) + i * 7 % 90 % 3), rows=400)
    yield "numbers_as_codes", table(["zip", "size", "price"], lambda i: (f"0{1000 + i % 4}", size(i), price(i)))
    yield "quotes_and_delimiters_in_text", table(["size", "remark", "price"], lambda i: (size(i), quoted(["say \"hi\"", "a, b", "c;d"][i % 3]), price(i)))
    yield "accents_and_other_alphabets", table(["größe", "farbe", "цена"], lambda i: (size(i), ["grün", "赤", "أحمر"][i % 3], price(i)))
    yield "spaces_around_everything", table([" size ", " colour ", " price "], lambda i: (f" {size(i)} ", f"  {COLOURS[i % 3]} ", f" {price(i)}  "))


def targets():
    """Targets, and columns that say too much."""
    yield "target_of_0_and_1", table(["size", "colour", "sold"], lambda i: (size(i), COLOURS[i % 3], int(size(i) + i % 4 > 11)))
    yield "target_of_few_whole_numbers", table(["size", "colour", "stars"], lambda i: (size(i), COLOURS[i % 3], min(5, 1 + int(size(i)) // 5)))
    yield "target_of_yes_and_no", table(["size", "colour", "sold"], lambda i: (size(i), COLOURS[i % 3], ["no", "yes"][int(size(i) + i % 4 > 11)]))
    yield "row_number_in_front", table(["", "size", "colour", "price"], lambda i: (i, size(i), COLOURS[i % 3], price(i)))
    yield "copy_of_the_target", table(["size", "price_with_tax", "price"], lambda i: (size(i), round(1.19 * price(i), 2), price(i)))
    yield "constant_column", table(["size", "country", "price"], lambda i: (size(i), "DE", price(i)))


def files():
    """Files."""
    plain = lambda i: (size(i), COLOURS[i % 3], price(i))
    head = ["size", "colour", "price"]
    yield "byte_order_mark_and_crlf", "\ufeff" + table(head, plain, end="\r\n")
    yield "no_header", table(None, plain)
    yield "delimiter_at_the_end_of_lines", table([*head, ""], lambda i: (*plain(i), ""))
    yield "bars", table(head, plain, delimiter="|")
    yield "two_columns_of_one_name", table(["size", "size", "price"], lambda i: (size(i), i % 5, price(i)))
    yield "delimiter_named_in_the_first_line", "sep=;\n" + table(head, plain, delimiter=";")
    yield "title_above_the_table", "Houses sold in 2024\n" + table(head, plain)
    yield "a_row_too_short", table(head, lambda i: plain(i)[: 2 if i == 20 else 3])
    yield "everything_wrong_at_once", table(
        ["when", "size", "share", "price"],
        lambda i: (f"{i % 12 + 1}/{i * 5 % 12 + 1}/2021", "big" if i == 3 else size(i), f"{i}{'%' if i % 2 else ''}", "much" if i == 9 else price(i))[: 3 if i == 12 else 4],
    )


def main():
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    for kind in (numbers, dates, missing, words, targets, files):
        for name, text in kind():
            (FOLDER / f"{name}.csv").write_bytes(text.encode())
    text = (FOLDER / "gaps_in_numbers.csv").read_bytes()
    # The field for the operating system is the only one that differs between versions of Python.
    packed = bytearray(gzip.compress(text, mtime=0))
    packed[9] = 255
    (FOLDER / "compressed_by_gzip.csv.gz").write_bytes(packed)
    (FOLDER / "cut_off_in_compressed_data.csv.gz").write_bytes(packed[: len(packed) // 2])


if __name__ == "__main__":
    main()
