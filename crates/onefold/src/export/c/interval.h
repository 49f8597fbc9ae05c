
/* The ends of prediction intervals for encoded inputs. */
static inline void NAME_interval(const REAL in[], REAL low[], REAL high[])
{
    NAME_predict(in, high);
    for (int n = 0; n < UPPER_OUTPUTS; n++) {
        low[n] = high[n] - NAME_half_widths[n];
        high[n] += NAME_half_widths[n];
    }
}
