
/* The ends of prediction intervals for a row of the table; it returns what NAME_encode does. */
static inline int NAME_interval_row(const struct NAME_row *row, REAL low[], REAL high[])
{
    int wrong = NAME_predict_row(row, high);
    for (int n = 0; n < UPPER_OUTPUTS; n++) {
        low[n] = high[n] - NAME_half_widths[n];
        high[n] += NAME_half_widths[n];
    }
    return wrong;
}
