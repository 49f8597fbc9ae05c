
const monthNames = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
  "november", "december"];
const monthOf = new Map([["sept", 9]]);
monthNames.forEach((name, n) => monthOf.set(name, n + 1).set(name.slice(0, 3), n + 1));
const weekdays = new Set(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  .flatMap((name) => [name, name.slice(0, 3)]));
const clockPattern = new RegExp("^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]*))?)?[\t-\r ]*" +
  "(?:([AaPp])[Mm][\t-\r ]*)?(?:Z|z|UTC|GMT|([+-])([0-9]{2})(?::([0-9]+)|([0-9]{2}))?)?$");
const wordFirst = new RegExp("^([A-Za-z]+)\\.?[-/ ]*(?:([0-9]{4})|" +
  "([0-9]{1,2})(?:st)?(?:nd)?(?:rd)?(?:th)?[-/ ,]+([0-9]{4}|[0-9]{2}))(?![0-9])");
const wordSecond = /^([0-9]{1,2})[-/. ]*([A-Za-z]+)\.?[-/ ,]*([0-9]{4}|[0-9]{2})(?![0-9])/;
const yearFirst = /^([0-9]{4})([-/.])([0-9]{1,2})(?![0-9])(?:\2([0-9]*))?/;
const yearLast = /^([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9])/;
const beforeTime = /^(?:[Tt](?=[0-9])|[Tt]?[ ,_]+)/;

function daysInMonth(year, month) {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
}

function daysBeforeYear(year) {
  const before = year - 1;
  return 365 * year + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) + 1;
}

/** Days after 1 January 1970, of texts; null if there is no such day. */
function dayOf(year, month, day) {
  let number = Number(year);
  if (year.length === 2) number += number < 69 ? 2000 : 1900;
  month = Number(month);
  if (!(month >= 1 && month <= 12) || day.length < 1 || day.length > 2) return null;
  if (!(Number(day) >= 1 && Number(day) <= daysInMonth(number, month))) return null;
  let days = daysBeforeYear(number) - daysBeforeYear(1970) + Number(day) - 1;
  for (let m = 1; m < month; m++) days += daysInMonth(number, m);
  return days;
}

/** Year, month and day of a number of days after 1 January 1970. */
function civil(days) {
  days += daysBeforeYear(1970);
  let year = Math.floor(days / 366);
  while (daysBeforeYear(year + 1) <= days) year++;
  let left = days - daysBeforeYear(year);
  let month = 1;
  for (; left >= daysInMonth(year, month); month++) left -= daysInMonth(year, month);
  return [year, month, left + 1];
}

/** Seconds of a time of day, minus its offset to UTC; null if it is none. */
function secondsOfClock(text) {
  const found = clockPattern.exec(text);
  if (found === null) return null;
  let [hour, minute, second] = found.slice(1, 4).map((digits) => Number(digits ?? 0));
  const [digits = "", half = "", sign, hours = 0, minutes, more = 0] = found.slice(4);
  const [offset, ofHour] = [Number(hours), Number(minutes ?? more)];
  if (half !== "" && !(hour >= 1 && hour <= 12)) return null;
  if (half !== "") hour = (hour % 12) + (lower(half) === "p" ? 12 : 0);
  if (hour >= 24 || minute >= 60 || second >= 60 || offset >= 24 || ofHour >= 60) return null;
  const first = digits.slice(0, 15);
  second += Number(first) / Number(`1e${first.length}`);
  return hour * 3600 + minute * 60 + second - (sign === "-" ? -1 : 1) * (offset * 3600 + ofHour * 60);
}

/** Days after 1 January 1970 of the date that a text begins with, null if there is none, and the rest. */
function dateOf(text, monthFirst) {
  let found;
  const rest = () => text.slice(found[0].length);
  if ((found = wordFirst.exec(text)) !== null) {
    const [, word, year, day = "1", later] = found;
    return [dayOf(year ?? later, monthOf.get(lower(word)) ?? 0, day), rest()];
  }
  if ((found = wordSecond.exec(text)) !== null) {
    return [dayOf(found[3], monthOf.get(lower(found[2])) ?? 0, found[1]), rest()];
  }
  if ((found = yearFirst.exec(text)) !== null) {
    const [, year, separator, month, day] = found;
    if (day === undefined && (separator === "." || month.length !== 2)) return [null, ""];
    return [dayOf(year, month, day ?? "1"), rest()];
  }
  if ((found = yearLast.exec(text)) !== null) {
    const [, first, separator, second, year] = found;
    const isShort = year.length === 2 && (first.length !== 2 || second.length !== 2);
    if (separator === "." && (monthFirst || isShort)) return [null, ""];
    return [monthFirst ? dayOf(year, first, second) : dayOf(year, second, first), rest()];
  }
  return [null, ""];
}

/** Seconds after 1 January 1970, or of the day where only times of day are read; null if it is no date. */
function secondsOf(text, clock, monthFirst) {
  if (text.length > 48 || !/^[\0-\x7f]*$/.test(text)) return null;
  const ofClock = secondsOfClock(text);
  if (clock || ofClock !== null) return clock ? ofClock : null;
  const word = /^[A-Za-z]*/.exec(text)[0];
  if (weekdays.has(lower(word))) text = text.slice(word.length).replace(/^[.,]?[\t-\r ]*/, "");
  const [day, rest] = dateOf(text, monthFirst);
  if (day === null || rest === "") return day === null ? null : day * 86400;
  const between = beforeTime.exec(rest);
  const seconds = between === null ? null : secondsOfClock(rest.slice(between[0].length));
  return seconds === null ? null : day * 86400 + seconds;
}

/** Where in the day, the week or the year a time is, from 0 to 1. */
function turn(part, seconds) {
  const day = Math.floor(seconds / 86400);
  if (part === "hour") return (seconds - day * 86400) / 86400;
  if (part === "weekday") return ((((day + 3) % 7) + 7) % 7) / 7;
  const [year, month, ofMonth] = civil(day);
  return (month - 1 + (ofMonth - 1) / daysInMonth(year, month)) / 12;
}

/** Dates and times: days after the origin, and sine and cosine of parts that come again. */
function date(origin, parts, clock, monthFirst) {
  return (value) => {
    const text = textOf(value instanceof Date && !clock ? dateText(value) : value, marksOfDates);
    if (text === null) return null;
    const seconds = secondsOf(text, clock, monthFirst);
    if (seconds === null) throw new RangeError(`${JSON.stringify(text)} is no ${clock ? "time of day" : "date"}`);
    const angles = parts.map((part) => 2 * Math.PI * turn(part, seconds));
    return [(seconds - origin) / 86400, ...angles.flatMap((angle) => [Math.sin(angle), Math.cos(angle)])];
  };
}

/** A `Date` as text, in UTC; null for an invalid one. */
function dateText(value) {
  return Number.isNaN(value.getTime()) ? null : value.toISOString();
}
