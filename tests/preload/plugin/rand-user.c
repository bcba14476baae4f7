// SPDX-License-Identifier: MIT
// A plug-in that calls whatever RAND_bytes the program has.
int RAND_bytes(unsigned char *buf, int n);
int plugin_draw(unsigned char *buf, int n);

int plugin_draw(unsigned char *buf, int n)
{
    return RAND_bytes(buf, n);
}
