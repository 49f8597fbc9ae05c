
/* What is left of a text. */
struct NAME_cursor {
    const char *at, *end;
};

/* Takes digits: how many there are, and their number. */
static inline int NAME_digits(struct NAME_cursor *c, double *number)
{
    int count = 0;
    *number = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, count++)
        *number = *number * 10 + (*c->at - '0');
    return count;
}

/* Takes characters of a set: how many. */
static inline int NAME_run(struct NAME_cursor *c, const char *set)
{
    int count = 0;
    for (; c->at < c->end && *c->at != 0 && strchr(set, *c->at) != NULL; c->at++)
        count++;
    return count;
}

/* Takes a text, if it stands here. */
static inline int NAME_skip(struct NAME_cursor *c, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n) != 0)
        return 0;
    c->at += n;
    return 1;
}

/* Takes one of these names, whole or its first three letters: its place, or -1. */
static inline int NAME_name(struct NAME_cursor *c, const char *const names[], int count)
{
    size_t n = 0;
    const char *word = c->at;
    while (word + n < c->end && ((word[n] >= 'A' && word[n] <= 'Z') || (word[n] >= 'a' && word[n] <= 'z')))
        n++;
    for (int i = 0; i < count; i++) {
        char first[4] = {names[i][0], names[i][1], names[i][2], 0};
        if (NAME_same(word, n, names[i]) || NAME_same(word, n, first) ||
            (NAME_same(word, n, "sept") && strcmp(names[i], "september") == 0)) {
            c->at += n;
            return i;
        }
    }
    return -1;
}

static inline int NAME_days_in_month(long year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && is_leap ? 29 : days[month - 1];
}

/* Days from 1 January of year 0 to that of another year; 400 years are added for quotients of positive numbers. */
static inline long NAME_days_before_year(long year)
{
    long before = year + 399;
    return 365 * year + before / 4 - before / 100 + before / 400 - 96;
}

/* Days after 1 January 1970; 0 if there is no such day. */
static inline int NAME_day(double year, double month, double day, double *days)
{
    long y = (long)year, sum;
    if (month < 1 || month > 12 || day < 1 || day > NAME_days_in_month(y, (int)month))
        return 0;
    sum = NAME_days_before_year(y) - NAME_days_before_year(1970) + (long)day - 1;
    for (int m = 1; m < (int)month; m++)
        sum += NAME_days_in_month(y, m);
    *days = (double)sum;
    return 1;
}

/* Takes a year of four digits, or of two from 1969 to 2068. */
static inline int NAME_year(struct NAME_cursor *c, double *year)
{
    int count = NAME_digits(c, year);
    if (count == 2)
        *year += *year < 69 ? 2000 : 1900;
    return count == 2 || count == 4 ? count : 0;
}

/* A time of day to the end of the text, in seconds; minus the offset to UTC where there is one. */
static inline int NAME_clock(struct NAME_cursor c, double *seconds)
{
    double hour, minute, second = 0, digit, power = 1, rest = 0, offset = 0, of_hour = 0, sign = 1;
    int count = NAME_digits(&c, &hour);
    if (count < 1 || count > 2 || !NAME_skip(&c, ":") || NAME_digits(&c, &minute) != 2 || minute >= 60)
        return 0;
    if (NAME_skip(&c, ":")) {
        if (NAME_digits(&c, &second) != 2 || second >= 60)
            return 0;
        if (NAME_skip(&c, ".") || NAME_skip(&c, ",")) {
            for (int i = 0; i < 15 && c.at < c.end && *c.at >= '0' && *c.at <= '9'; i++, c.at++) {
                rest = rest * 10 + (*c.at - '0');
                power *= 10;
            }
            NAME_digits(&c, &digit);
            second += rest / power;
        }
    }
    NAME_run(&c, "\t\n\v\f\r ");
    if (c.end - c.at >= 2 && (NAME_same(c.at, 2, "am") || NAME_same(c.at, 2, "pm"))) {
        if (hour < 1 || hour > 12)
            return 0;
        hour = (hour > 11 ? 0 : hour) + (NAME_same(c.at, 2, "pm") ? 12 : 0);
        c.at += 2;
        NAME_run(&c, "\t\n\v\f\r ");
    }
    if (NAME_skip(&c, "Z") || NAME_skip(&c, "z") || NAME_skip(&c, "UTC") || NAME_skip(&c, "GMT")) {
        offset = 0;
    } else if (c.at < c.end) {
        if (NAME_skip(&c, "-"))
            sign = -1;
        else if (!NAME_skip(&c, "+"))
            return 0;
        count = NAME_digits(&c, &offset);
        if (count == 4) {
            of_hour = fmod(offset, 100);
            offset = (offset - of_hour) / 100;
        } else if (count != 2 || (NAME_skip(&c, ":") && NAME_digits(&c, &of_hour) == 0))
            return 0;
        if (offset >= 24 || of_hour >= 60)
            return 0;
    }
    *seconds = hour * 3600 + minute * 60 + second - sign * (offset * 3600 + of_hour * 60);
    return hour < 24 && c.at == c.end;
}

/* Takes a date: days after 1 January 1970. */
static inline int NAME_date(struct NAME_cursor *c, int month_first, double *days)
{
    static const char *const months[12] = {"january", "february", "march", "april", "may", "june", "july", "august",
                                           "september", "october", "november", "december"};
    double first, second, year, day = 1;
    int first_count, second_count, count, month = NAME_name(c, months, 12);
    const char *separator;
    if (month >= 0) {
        NAME_skip(c, ".");
        NAME_run(c, "-/ ");
        count = NAME_digits(c, &first);
        if (count == 4)
            return NAME_day(first, month + 1, 1, days);
        NAME_skip(c, "st");
        NAME_skip(c, "nd");
        NAME_skip(c, "rd");
        NAME_skip(c, "th");
        return NAME_run(c, "-/ ,") > 0 && NAME_year(c, &year) && count < 3 && NAME_day(year, month + 1, first, days);
    }
    first_count = NAME_digits(c, &first);
    if (first_count != 1 && first_count != 2 && first_count != 4)
        return 0;
    separator = c->at;
    count = NAME_run(c, "-/. ");
    month = NAME_name(c, months, 12);
    if (month >= 0) {
        NAME_skip(c, ".");
        NAME_run(c, "-/ ,");
        return NAME_year(c, &year) && first_count < 3 && NAME_day(year, month + 1, first, days);
    }
    if (count != 1 || *separator == ' ')
        return 0;
    second_count = NAME_digits(c, &second);
    if (second_count != 1 && second_count != 2)
        return 0;
    count = c->at < c->end && *c->at == *separator;
    c->at += count;
    if (first_count == 4) {
        if (count) {
            count = NAME_digits(c, &day);
            return count > 0 && count < 3 && NAME_day(first, second, day, days);
        }
        return *separator != '.' && second_count == 2 && NAME_day(first, second, day, days);
    }
    if (!count || !(count = NAME_year(c, &year)))
        return 0;
    if (*separator == '.' && (month_first || (count == 2 && (first_count != 2 || second_count != 2))))
        return 0;
    return month_first ? NAME_day(year, first, second, days) : NAME_day(year, second, first, days);
}

/* Seconds after 1 January 1970, or of the day where only times of day are read: 1; 0 if it is no date, -2 where it
   is missing. */
static inline int NAME_seconds(const char *value, int is_clock, int month_first, double *seconds)
{
    static const char *const weekdays[7] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
                                            "sunday"};
    size_t n = 0;
    double days, of_day = 0;
    struct NAME_cursor c;
    c.at = NAME_text(value, 1, &n);
    if (c.at == NULL)
        return -2;
    c.end = c.at + n;
    if (n > 48)
        return 0;
    if (NAME_clock(c, seconds))
        return is_clock;
    if (is_clock)
        return 0;
    if (NAME_name(&c, weekdays, 7) >= 0) {
        if (!NAME_skip(&c, "."))
            NAME_skip(&c, ",");
        NAME_run(&c, "\t\n\v\f\r ");
    }
    if (!NAME_date(&c, month_first, &days))
        return 0;
    if (c.at < c.end) {
        int is_iso = NAME_skip(&c, "T") || NAME_skip(&c, "t");
        is_iso = is_iso && c.at < c.end && *c.at >= '0' && *c.at <= '9';
        if ((!is_iso && NAME_run(&c, " ,_") == 0) || !NAME_clock(c, &of_day))
            return 0;
    }
    *seconds = days * 86400.0 + of_day;
    return 1;
}
