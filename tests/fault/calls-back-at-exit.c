// SPDX-License-Identifier: MIT
// A library that started before all others, and so ends after them: its destructor calls what the
// test has put into at_very_end.
extern void (*at_very_end)(void);
void (*at_very_end)(void);

__attribute__((destructor)) static void call_back(void)
{
    if (at_very_end)
        at_very_end();
}
