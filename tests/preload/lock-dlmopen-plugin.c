// SPDX-License-Identifier: MIT
// claim: exclusion holds between the program and a plug-in that dlmopen gave a libc of its own
// matrix: locks
#include "lib/plugin.h"

int main(void)
{
    struct way plugin;

    locks_deadline();
    plugin = plugin_way(dlmopen(LM_ID_NEWLM, plugin_path(), RTLD_NOW));
    versus(&plain_names, &plugin);
    return 0;
}
