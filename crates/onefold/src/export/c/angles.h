
/* Sine and cosine of a part of a time: 0 of the day, 1 of the week, 2 of the year. */
static inline void NAME_angle(int part, double seconds, double out[])
{
    double day = floor(seconds / 86400.0), turn;
    if (part == 0) {
        turn = (seconds - day * 86400.0) / 86400.0;
    } else if (part == 1) {
        turn = fmod(day + 3.0, 7.0);
        turn = (turn < 0 ? turn + 7.0 : turn) / 7.0;
    } else {
        long all = (long)day + NAME_days_before_year(1970), year = all / 366 - 1;
        int month = 1;
        while (NAME_days_before_year(year + 1) <= all)
            year++;
        all -= NAME_days_before_year(year);
        for (; all >= NAME_days_in_month(year, month); month++)
            all -= NAME_days_in_month(year, month);
        turn = (month - 1 + (double)all / NAME_days_in_month(year, month)) / 12.0;
    }
    out[0] = sin(6.283185307179586 * turn);
    out[1] = cos(6.283185307179586 * turn);
}
