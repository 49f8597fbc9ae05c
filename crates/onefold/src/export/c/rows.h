
/* The outputs for a row of the table. As NAME_encode, it returns 0, or the number of a column, and then all outputs
   are NAN. */
static inline int NAME_predict_row(const struct NAME_row *row, REAL out[])
{
    double values[UPPER_INPUTS];
    REAL in[UPPER_INPUTS];
    int wrong = NAME_encode(row, values);
    for (int i = 0; i < UPPER_INPUTS; i++)
        in[i] = (REAL)(wrong ? NAN : values[i]);
    NAME_predict(in, out);
    for (int n = 0; wrong && n < UPPER_OUTPUTS; n++)
        out[n] = (REAL)NAN;
    return wrong;
}
