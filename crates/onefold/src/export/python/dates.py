

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_OF = {name: n + 1 for n, month in enumerate(_MONTHS) for name in (month, month[:3])} | {"sept": 9}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAYS = {name for day in _WEEKDAYS for name in (day, day[:3])}
_CLOCK = re.compile(
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]*))?)?[\t-\r ]*(?:([AaPp])[Mm][\t-\r ]*)?"
    r"(?:Z|z|UTC|GMT|([+-])([0-9]{2})(?::([0-9]+)|([0-9]{2}))?)?"
)
_WORD_FIRST = re.compile(
    r"([A-Za-z]+)\.?[-/ ]*(?:([0-9]{4})|([0-9]{1,2})(?:st)?(?:nd)?(?:rd)?(?:th)?[-/ ,]+([0-9]{4}|[0-9]{2}))(?![0-9])"
)
_WORD_SECOND = re.compile(r"([0-9]{1,2})[-/. ]*([A-Za-z]+)\.?[-/ ,]*([0-9]{4}|[0-9]{2})(?![0-9])")
_YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})(?![0-9])(?:\2([0-9]*))?")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9])")
_BEFORE_TIME = re.compile(r"[Tt](?=[0-9])|[Tt]?[ ,_]+")


def _days_in_month(year, month):
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and is_leap else [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]


def _days_before_year(year):
    before = year - 1
    return 365 * year + before // 4 - before // 100 + before // 400 + 1


def _day(year, month, day):
    """Days after 1 January 1970, of texts; None if there is no such day."""
    number = int(year)
    if len(year) == 2:
        number += 2000 if number < 69 else 1900
    month = int(month)
    if not 1 <= month <= 12 or len(day) not in (1, 2) or not 1 <= int(day) <= _days_in_month(number, month):
        return None
    months = sum(_days_in_month(number, m) for m in range(1, month))
    return _days_before_year(number) - _days_before_year(1970) + months + int(day) - 1


def _civil(days):
    """Year, month and day of a number of days after 1 January 1970."""
    days += _days_before_year(1970)
    year = days // 366
    while _days_before_year(year + 1) <= days:
        year += 1
    left, month = days - _days_before_year(year), 1
    while left >= _days_in_month(year, month):
        left -= _days_in_month(year, month)
        month += 1
    return year, month, left + 1


def _clock(text):
    """Seconds of a time of day, minus its offset to UTC; None if it is none."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, minute, second, digits, half, sign, hours, minutes, more = found.groups()
    hour, minute, second = float(hour), float(minute), float(second or 0)
    offset, of_hour = float(hours or 0), float(minutes or more or 0)
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half in "Pp" else 0)
    if hour >= 24 or minute >= 60 or second >= 60 or offset >= 24 or of_hour >= 60:
        return None
    digits = (digits or "")[:15]
    second += float(digits or 0) / 10.0 ** len(digits)
    offset = (-1.0 if sign == "-" else 1.0) * (offset * 3600.0 + of_hour * 60.0)
    return hour * 3600.0 + minute * 60.0 + second - offset


def _date_of(text, month_first):
    """Days after 1 January 1970 of the date that a text begins with, None if there is none, and the rest."""
    if found := _WORD_FIRST.match(text):
        word, year, day, later = found.groups()
        month = _MONTH_OF.get(word.lower(), 0)
        return _day(year or later, month, day or "1"), text[found.end() :]
    if found := _WORD_SECOND.match(text):
        day, word, year = found.groups()
        return _day(year, _MONTH_OF.get(word.lower(), 0), day), text[found.end() :]
    if found := _YEAR_FIRST.match(text):
        year, separator, month, day = found.groups()
        if day is None and (separator == "." or len(month) != 2):
            return None, ""
        return _day(year, month, "1" if day is None else day), text[found.end() :]
    if found := _YEAR_LAST.match(text):
        first, separator, second, year = found.groups()
        if separator == "." and (month_first or (len(year) == 2 and (len(first), len(second)) != (2, 2))):
            return None, ""
        day, month = (second, first) if month_first else (first, second)
        return _day(year, month, day), text[found.end() :]
    return None, ""


def _seconds(text, clock, month_first):
    """Seconds after 1 January 1970, or of the day where only times of day are read; None if it is no date."""
    if len(text) > 48 or not text.isascii():
        return None
    seconds = _clock(text)
    if clock or seconds is not None:
        return seconds if clock else None
    word = re.match("[A-Za-z]*", text).group()
    if word.lower() in _WEEKDAYS:
        text = re.sub(r"^[.,]?[\t-\r ]*", "", text[len(word) :])
    day, rest = _date_of(text, month_first)
    if day is None or not rest:
        return None if day is None else day * 86400.0
    between = _BEFORE_TIME.match(rest)
    seconds = _clock(rest[between.end() :]) if between else None
    return None if seconds is None else day * 86400.0 + seconds


def _turn(part, seconds):
    """Where in the day, the week or the year a time is, from 0 to 1."""
    day = seconds // 86400.0
    if part == "hour":
        return (seconds - day * 86400.0) / 86400.0
    if part == "weekday":
        return (day + 3.0) % 7.0 / 7.0
    year, month, of_month = _civil(int(day))
    return (month - 1 + (of_month - 1) / _days_in_month(year, month)) / 12.0


def _date(origin, parts, clock=False, month_first=False):
    """Dates and times: days after the origin, and sine and cosine of parts that come again."""

    def read(value):
        text = _text(value.isoformat() if hasattr(value, "isoformat") else value, _EMPTY | _MARKS)
        if text is None:
            return None
        seconds = _seconds(text, clock, month_first)
        if seconds is None:
            raise ValueError(f"{text!r} is no {'time of day' if clock else 'date'}")
        angles = [2.0 * math.pi * _turn(part, seconds) for part in parts]
        return [(seconds - origin) / 86400.0] + [f(angle) for angle in angles for f in (math.sin, math.cos)]

    return read
