
/* Length of the space at the start of n bytes of UTF-8; 0 if there is none. */
static inline int NAME_space(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    if (n > 0 && (s[0] == ' ' || (s[0] >= 9 && s[0] <= 13)))
        return 1;
    if (n > 1 && s[0] == 0xc2 && (s[1] == 0x85 || s[1] == 0xa0))
        return 2;
    if (n < 3)
        return 0;
    if ((s[0] == 0xe1 && s[1] == 0x9a && s[2] == 0x80) || (s[0] == 0xe2 && s[1] == 0x81 && s[2] == 0x9f) ||
        (s[0] == 0xe3 && s[1] == 0x80 && s[2] == 0x80))
        return 3;
    if (s[0] == 0xe2 && s[1] == 0x80)
        return (s[2] >= 0x80 && s[2] <= 0x8a) || s[2] == 0xa8 || s[2] == 0xa9 || s[2] == 0xaf ? 3 : 0;
    return 0;
}

/* Whether n bytes are this word in small letters, whatever the size of theirs. */
static inline int NAME_same(const char *text, size_t n, const char *word)
{
    size_t i;
    for (i = 0; i < n && word[i] != 0; i++) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        if (c != word[i])
            return 0;
    }
    return i == n && word[i] == 0;
}

/* A text without the spaces around it, and its length; NULL where it is missing. */
static inline const char *NAME_text(const char *text, int is_date, size_t *length)
{
EMPTY
MARKS
    size_t n, i;
    int space;
    if (text == NULL)
        return NULL;
    n = strlen(text);
    while ((space = NAME_space(text, n)) > 0) {
        text += space;
        n -= (size_t)space;
    }
    for (i = 1; i <= 3 && i <= n; i++) {
        if (NAME_space(text + n - i, i) == (int)i) {
            n -= i;
            i = 0;
        }
    }
    for (i = 0; i < sizeof empty / sizeof *empty; i++)
        if (NAME_same(text, n, empty[i]))
            return NULL;
    for (i = 0; is_date && i < sizeof marks / sizeof *marks; i++)
        if (NAME_same(text, n, marks[i]))
            return NULL;
    *length = n;
    return text;
}
