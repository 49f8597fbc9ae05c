
/* The class of a row of the table, an index into NAME_class_names; -1 where NAME_encode does not return 0. */
static inline int NAME_classify_row(const struct NAME_row *row)
{
    REAL out[UPPER_OUTPUTS];
    int best = 0;
    if (NAME_predict_row(row, out) != 0)
        return -1;
    for (int n = 1; n < UPPER_OUTPUTS; n++)
        if (out[n] > out[best])
            best = n;
    return best;
}
