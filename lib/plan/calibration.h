/* calibration.h - the costs of a machine, which predictions (predict.h) are based on: built in
 * (costs.def) or measured (lib/api/api_calibrate.c), and the file that stores them.
 *
 * The file is text with one cost per line:
 *
 *     ordo-calibration 1
 *     machine HOST, CPU, 16 CPUs, avx512
 *     device 0: NVIDIA H200, 139.8 GiB
 *     cpu_32 10140
 *     ...
 *     end
 *
 * Costs are integers, so that the locale does not matter. A new file is written under another name
 * and then renamed: readers see the old file or the new one, and the last of several writers wins.
 * A file that is damaged or belongs to another version or machine is ignored; the note has the
 * reason, and this is never an error. Costs of the device are used only with the device that was
 * measured. */
#ifndef ORDO_PLAN_CALIBRATION_H
#define ORDO_PLAN_CALIBRATION_H

#include "backend/tuning.h"

typedef enum ordo_cost_id {
    COST_NONE = 0,
#define ORDO_COST_ROW(ID, name, unit, standard, least, most, meaning) COST_##ID,
#include "plan/costs.def"
#undef ORDO_COST_ROW
    COSTS
} ordo_cost_id;

enum {
#define ORDO_COST_ROW(ID, name, unit, standard, least, most, meaning) STANDARD_##ID = (standard),
#include "plan/costs.def"
#undef ORDO_COST_ROW
};

typedef struct ordo_cost_fact {
    const char *name, *unit, *meaning;
    long        standard;    /* built in */
    long        least, most; /* plausible values */
} ordo_cost_fact;

extern const ordo_cost_fact ordo_cost_facts[COSTS]; /* the first one is empty */

enum {
    CALIBRATION_PATH = 1024,
    CALIBRATION_NOTE = 256,
    CALIBRATION_DEVICE = 128
};

typedef struct ordo_calibration {
    long value[COSTS];
    bool measured[COSTS];
    char device[CALIBRATION_DEVICE]; /* the device that was measured; "": none */
    bool tried;                      /* the file has been read, or there is none */
    bool in_folder;                  /* path is a folder with one file per machine */
    char isa[16];
    long gpu;                    /* the GPU of the context, counted from 1; 0: any */
    char path[CALIBRATION_PATH]; /* "": none */
    char note[CALIBRATION_NOTE]; /* why the file is ignored; "" if it is in use or does not exist */
} ordo_calibration;

/* Sets the path of the file: `place`, or from the environment if that is NULL. Reads no file.
 * Called when a context is made. */
void ordo_calibration_place(ordo_calibration *c, const char *place, const char *isa, size_t gpu);

/* Sets the built-in costs. The file is not read later. */
void ordo_calibration_standard(ordo_calibration *c);

/* Reads the file, once. */
void ordo_calibration_read(ordo_calibration *c);

/* Writes the measured costs; false, with the reason in the note, if that fails. */
bool ordo_calibration_write(ordo_calibration *c);

/* Removes the file and sets the built-in costs; false, with the reason in the note, if the file
 * cannot be removed. */
bool ordo_calibration_forget(ordo_calibration *c);

/* Drops the costs of the device if another device is in use; true if it did so. `line` is the line
 * of the device in use, from ordo_backend.devices. */
bool ordo_calibration_check_device(ordo_calibration *c, const char *line);
/* The part of such a line that identifies the device. */
void ordo_calibration_name_device(const char *line, char *name, size_t size);

/* Sets a measured cost, limited to plausible values. */
void ordo_calibration_set(ordo_calibration *c, ordo_cost_id id, double value);

#endif
