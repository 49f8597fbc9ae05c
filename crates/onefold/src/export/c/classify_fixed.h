
/* The class whose output is largest, the first of equal ones: an index into NAME_class_names. */
static inline int NAME_classify_fixed(const int16_t in[])
{
    int32_t out[UPPER_OUTPUTS];
    int best = 0;
    NAME_predict_fixed(in, out);
    for (int n = 1; n < UPPER_OUTPUTS; n++)
        if (out[n] > out[best])
            best = n;
    return best;
}
