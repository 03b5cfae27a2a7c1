// The input of a batch: one collective with some algorithms, in some rounds. Rankwise writes it as lines of words:
//
//   collective Allreduce
//   bytes 65536
//   chosen communicators | calls    when the library reads its variables
//   grouping SHARE ROOT             communicators that are used at the same time, their share of the time, and the root
//   group RANK RANK ...             one of them, by ranks in MPI_COMM_WORLD
//   late RANK NS                    this rank arrives so much later than the first one
//   arm WITHOUT_HAN                 a way to choose the algorithm; 1: on communicators without coll/han
//   set NAME VALUE                  a variable of the last arm
//   mock NAME                       the last arm calls this in place of the collective (mockups.h)
//   larger BYTES                    the last arm calls it with larger messages; the same size for all such arms
//   warmups N                       calls of each arm before the first round
//   repetitions N                   calls of an arm in a round
//   round ARM ARM ...               the arms of a round, by their number from 0, in the order of their visits
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "mockups.h"

typedef struct {
  MPI_T_cvar_handle handle;
  int value, before;
} Setting;

typedef struct {
  Setting *settings;
  int count;
  bool without_han;
  const Mockup *mockup;  // that is called in place of the collective, or NULL
  bool is_larger;        // whether the messages are the larger ones
  const char *missing;   // variable that the library lacks, or NULL
} Arm;

typedef struct {
  int *ranks;
  int count;
} Group;

typedef struct {
  double share;
  int root;
  Group *groups;
  int count;
  int64_t late_ns;  // of this rank
} Grouping;

typedef struct {
  int *arms;
  int count;
} Round;

typedef struct {
  const Collective *collective;
  int64_t bytes, larger_bytes;  // the latter 0 if no arm has larger messages
  bool has_mockups, chosen_at_calls;
  Grouping *groupings;
  Arm *arms;
  Round *rounds;
  int groupings_count, arms_count, rounds_count;
  int warmups, repetitions;
} Batch;

// Parses the text, and changes it; the batch keeps pointers into it. An error goes to `line`, of LINE bytes.
void batch_read(Batch *batch, char *text, char *line);
void batch_free(Batch *batch);
