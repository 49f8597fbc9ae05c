/* A program without an operating system that classifies one row REPEATS times, and ends the simulator.

   model.h is the exported header with the name `model`; row.h has the row. EMPTY leaves the network out. */
#include <stdint.h>

#ifndef EMPTY
#ifdef FIXED
#define MODEL_INTEGERS_ONLY
#endif
#include "model.h"
#include "row.h"
#endif

extern uint32_t stack_end, data_start, data_end, data_source, bss_start, bss_end;
volatile int result;

int main(void)
{
    for (volatile int n = 0; n < REPEATS; n++) {
#ifdef EMPTY
        result = n;
#elif defined FIXED
        result = model_classify_fixed(row);
#else
        result = model_classify(row);
#endif
    }
    return 0;
}

/* SYS_EXIT of semihosting, with ADP_Stopped_ApplicationExit or another reason, which is a failure. */
static void end(int with)
{
    register int operation __asm__("r0") = 0x18;
    register int reason __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(reason) : "memory");
    for (;;) {
    }
}

void reset(void)
{
    uint32_t *from = &data_source, *to = &data_start;
    while (to < &data_end)
        *to++ = *from++;
    for (to = &bss_start; to < &bss_end; to++)
        *to = 0;
#if defined __ARM_FP
    /* Full access to the coprocessors 10 and 11, which are the floating point unit. */
    *(volatile uint32_t *)0xe000ed88 |= 0xf00000;
    __asm__ volatile("dsb\n isb");
#endif
    main();
    end(0x20026);
}

/* ADP_Stopped_RunTimeErrorUnknown. */
static void fault(void)
{
    end(0x20023);
}

__attribute__((section(".vectors"), used)) static const void *vectors[16] = {
    &stack_end, (void *)reset, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault,
};
