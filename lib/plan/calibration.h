/* calibration.h - what a machine costs: the figures that predictions (predict.h) rest on, as built
 * in (tuning.h) or as measured here (lib/api/api_calibrate.c), and the file that keeps them.
 *
 * The file is text, one figure a line:
 *
 *     ordo-calibration 1
 *     machine HOST, CPU, 16 CPUs, avx512
 *     device 0: NVIDIA H200, 139.8 GiB
 *     cpu_32 10140
 *     ...
 *     end
 *
 * Figures are whole numbers, so that no locale matters. It is written beside and renamed: readers
 * see the old file or the new one, and of several writers the last one wins. What is damaged, of
 * another version or of another machine is not used, and the note says why; that is never an
 * error. Figures of the device count only while it is the one that was measured. */
#ifndef ORDO_PLAN_CALIBRATION_H
#define ORDO_PLAN_CALIBRATION_H

#include "core/base.h"

typedef enum ordo_cost_id {
    COST_NONE = 0,
    COST_THREADS, /* that the figures of all threads were measured with */
    COST_CPU_16,
    COST_CPU_32,
    COST_CPU_64,
    COST_CPU_VALUE,
    COST_CPU_VALUE_64,
    COST_CPU_INDEX,
    COST_CPU_RANK,
    COST_CPU_STRING,
    COST_CPU_STRING_MORE,
    COST_CPU_ALONE,
    COST_CPU_SMALL,
    COST_CPU_CALL,
    COST_DEVICE_OPEN, /* from here on of the device */
    COST_DEVICE_CALL,
    COST_STAGE_THREAD,
    COST_STAGE_WHOLE,
    COST_STREAM_CALL,
    COST_STAGE_ALL,
    COST_HYBRID_SHARE,
    COST_HYBRID_TIME,
    COSTS
} ordo_cost_id;

typedef struct ordo_cost_fact {
    const char *name, *unit, *meaning;
    long        standard;    /* built in */
    long        least, most; /* that are believed */
} ordo_cost_fact;

extern const ordo_cost_fact ordo_cost_facts[COSTS]; /* the first is empty */

enum {
    CALIBRATION_PATH = 1024,
    CALIBRATION_NOTE = 256,
    CALIBRATION_DEVICE = 128
};

typedef struct ordo_calibration {
    long value[COSTS];
    bool measured[COSTS];
    char device[CALIBRATION_DEVICE]; /* that the figures are of; "": of none */
    bool tried;                      /* the file has been looked for */
    bool in_folder;                  /* path is a folder, in which the machine has its own file */
    char isa[16];
    long gpu;                    /* which one is wished for, from 1; 0: any */
    char path[CALIBRATION_PATH]; /* "": none */
    char note[CALIBRATION_NOTE]; /* why the file is not used; "": it is, or there is none */
} ordo_calibration;

/* Notes where the file is: `place`, or where the environment says if that is NULL. Reads no file,
 * and is done when a context is made. */
void ordo_calibration_place(ordo_calibration *c, const char *place, const char *isa, size_t gpu);

/* The built-in figures; no file is looked for any more. */
void ordo_calibration_standard(ordo_calibration *c);

/* Reads the file, once. */
void ordo_calibration_read(ordo_calibration *c);

/* Writes what was measured; false, with the note saying why, if that cannot be. */
bool ordo_calibration_write(ordo_calibration *c);

/* Removes the file and goes back to the built-in figures; false, with a note, if it cannot be
 * removed. */
bool ordo_calibration_forget(ordo_calibration *c);

/* The device that was opened: figures of another one are dropped. `line` is its line of
 * ordo_backend.devices; true if something was dropped. */
bool ordo_calibration_check_device(ordo_calibration *c, const char *line);
/* What tells devices apart in such a line. */
void ordo_calibration_name_device(const char *line, char *name, size_t size);

/* A figure that was measured, kept within what is believed. */
void ordo_calibration_set(ordo_calibration *c, ordo_cost_id id, double value);

#endif
