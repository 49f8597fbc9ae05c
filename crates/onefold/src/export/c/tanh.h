
/* tanh of a number in units of 1/8192, in units of 1/ONE: linear between the entries of a table. */
static inline int16_t NAME_tanh(int32_t z)
{
    static const int16_t table[513] = TABLE;
    int32_t a = z < 0 ? -z : z, y = table[512];
    if (a < 65536) {
        int32_t low = table[a >> 7], high = table[(a >> 7) + 1];
        y = low + (((high - low) * (a & 127) + 64) >> 7);
    }
    return (int16_t)(z < 0 ? -y : y);
}
