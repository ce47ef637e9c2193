/* no_entry.c - a shared object that is no backend. */
int ordo_something_else(void);
int ordo_something_else(void) { return 1; }
