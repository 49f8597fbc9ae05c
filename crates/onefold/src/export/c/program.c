/* Checks an exported network on rows with known outputs: ends with 1 where one differs by more than rounding. */
#include <stdio.h>
#include FILE

struct test {
    INPUT;
    double outputs[UPPER_OUTPUTS];
    int class_index; /* -1 where there is none, or rounding may change it. */
};

static const struct test tests[COUNT] = ROWS;
static const double tolerance[UPPER_OUTPUTS] = TOLERANCES;

int main(void)
{
    int wrong = 0;
    double largest = 0;
    for (int n = 0; n < COUNT; n++) {
        const struct test *test = &tests[n];
        REAL out[UPPER_OUTPUTS];
        int is_wrong = PREDICT;
        for (int o = 0; o < UPPER_OUTPUTS; o++) {
            double difference = fabs(out[o] - test->outputs[o]);
            largest = difference > largest ? difference : largest;
            is_wrong = is_wrong || !(difference <= tolerance[o]);
        }
        is_wrong = is_wrong || (test->class_index >= 0 && CLASSIFY != test->class_index);
        if (is_wrong)
            printf("row %d: output %g instead of %g\n", n, (double)out[0], test->outputs[0]);
        wrong += is_wrong;
    }
    printf("%d of %d rows are right; largest difference %.1e\n", COUNT - wrong, COUNT, largest);
    return wrong > 0;
}
