
/* The place of a text among words in ascending order; -1 if it is none of them, -2 where it is missing. */
static inline int NAME_word(const char *value, const char *const words[], int count, int ignores_case)
{
    size_t n = 0;
    const char *text = NAME_text(value, 0, &n);
    int low = 0, high = count;
    if (text == NULL)
        return -2;
    if (ignores_case) {
        for (int i = 0; i < count; i++)
            if (NAME_same(text, n, words[i]))
                return i;
        return -1;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        size_t length = strlen(words[middle]);
        int order = memcmp(text, words[middle], n < length ? n : length);
        if (order == 0 && n == length)
            return middle;
        if (order > 0 || (order == 0 && n > length))
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
