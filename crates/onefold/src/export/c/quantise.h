
/* Inputs as they are measured, in the units of NAME_predict_fixed; NAN becomes 0. */
static inline void NAME_quantise(const double in[], int16_t out[])
{
    MIDDLE
    HALF
    for (int i = 0; i < UPPER_INPUTS; i++) {
        double v = floor((in[i] - middle[i]) / half[i] * ONE + 0.5);
        out[i] = (int16_t)(v > LARGEST ? LARGEST : v < -LARGEST ? -LARGEST : isnan(v) ? 0 : v);
    }
}
