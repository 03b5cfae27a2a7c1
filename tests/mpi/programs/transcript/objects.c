// Communicators, attributes, groups, names, info, datatypes and operations.
#include <stdint.h>
#include <string.h>

#include "transcript.h"

static int copies, deletes;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)keyval;
  copies++;
  say("copy %d of %ld, extra %ld", copies, (long)(intptr_t)in, (long)(intptr_t)extra);
  *(void **)out = (void *)((intptr_t)in + 1);
  *flag = (intptr_t)in < 102;
  return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval;
  deletes++;
  say("delete %d of %ld, extra %ld", deletes, (long)(intptr_t)value, (long)(intptr_t)extra);
  return MPI_SUCCESS;
}
static int refuse(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  say("refuses to be deleted");
  return MPI_ERR_OTHER;
}
static int refuse_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
  say("refuses to be copied");
  return MPI_ERR_OTHER;
}

static void say_attribute(const char *what, MPI_Comm comm, int keyval) {
  void *value = NULL;
  int flag;
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  say("%s: flag %d, %ld", what, flag, flag ? (long)(intptr_t)value : 0L);
}

static void attributes(void) {
  int keyval, second, refusing, flag, *number;
  MPI_Comm first_copy, second_copy, third_copy;
  MPI_Request request;
  TRY(MPI_Comm_create_keyval(copy, delete, &keyval, (void *)7));
  TRY(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &second, NULL));
  say_attribute("not set", MPI_COMM_WORLD, keyval);
  TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, (void *)100));
  TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, second, (void *)5));
  TRY(MPI_Comm_dup(MPI_COMM_WORLD, &first_copy));
  TRY(MPI_Comm_idup(first_copy, &second_copy, &request));
  TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  TRY(MPI_Comm_dup(second_copy, &third_copy));
  say_attribute("world", MPI_COMM_WORLD, keyval);
  say_attribute("first", first_copy, keyval);
  say_attribute("second", second_copy, keyval);
  say_attribute("third", third_copy, keyval);
  say_attribute("third, other", third_copy, second);
  TRY(MPI_Comm_set_attr(first_copy, keyval, (void *)50));
  TRY(MPI_Comm_delete_attr(first_copy, keyval));
  TRY(MPI_Comm_split(second_copy, 0, 0, &first_copy));  // (first_copy itself stays)
  say_attribute("not copied by a split", first_copy, keyval);
  TRY(MPI_Comm_free(&first_copy));
  TRY(MPI_Comm_free(&second_copy));
  TRY(MPI_Comm_free(&third_copy));
  TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval));
  TRY(MPI_Comm_free_keyval(&keyval));
  say("keyval invalid: %d", keyval == MPI_KEYVAL_INVALID);

  TRY(MPI_Comm_create_keyval(refuse_copy, refuse, &refusing, NULL));
  TRY(MPI_Comm_dup(MPI_COMM_WORLD, &first_copy));
  TRY(MPI_Comm_set_attr(first_copy, refusing, NULL));
  TRY(MPI_Comm_dup(first_copy, &second_copy));
  TRY(MPI_Comm_delete_attr(first_copy, refusing));
  TRY(MPI_Comm_free(&first_copy));
  say("copies %d, deletes %d", copies, deletes);

  const int predefined[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE, MPI_APPNUM};
  for (int i = 0; i < 5; i++) {
    MPI_Comm_get_attr(MPI_COMM_WORLD, predefined[i], &number, &flag);
    say("predefined %d: %d, %d", i, flag, flag ? *number : 0);
  }
}

static void compare(const char *what, MPI_Comm one, MPI_Comm other) {
  int result;
  MPI_Comm_compare(one, other, &result);
  say("%s: %s", what,
      result == MPI_IDENT       ? "identical"
      : result == MPI_CONGRUENT ? "congruent"
      : result == MPI_SIMILAR   ? "similar"
                                : "unequal");
}

static void say_name(const char *what, MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = -1;
  TRY(MPI_Comm_get_name(comm, name, &length));
  say("name of %s: '%s', %d", what, name, length);
}

static void communicators(void) {
  MPI_Comm copy_, part, cart, single, between, merged, none;
  MPI_Group world, group;
  int result, ranks[3] = {0, 1, MPI_PROC_NULL}, translated[3], status, inter;
  TRY(MPI_Comm_dup(MPI_COMM_WORLD, &copy_));
  TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part));
  TRY(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &single));
  TRY(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &none));
  say("left out: %d", none == MPI_COMM_NULL);
  if (none != MPI_COMM_NULL) TRY(MPI_Comm_free(&none));
  compare("same", MPI_COMM_WORLD, MPI_COMM_WORLD);
  compare("copy", MPI_COMM_WORLD, copy_);
  compare("reverse", MPI_COMM_WORLD, part);
  compare("self", MPI_COMM_WORLD, MPI_COMM_SELF);
  compare("single", MPI_COMM_SELF, single);
  say_name("world", MPI_COMM_WORLD);
  say_name("self", MPI_COMM_SELF);
  say_name("copy", copy_);
  TRY(MPI_Comm_set_name(part, "a name"));
  say_name("part", part);
  TRY(MPI_Comm_set_name(part, ""));
  say_name("part", part);
  TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
  TRY(MPI_Comm_group(part, &group));
  TRY(MPI_Group_translate_ranks(world, 3, ranks, group, translated));
  say("translated: %d %d %d", translated[0], translated[1], translated[2] == MPI_PROC_NULL);
  TRY(MPI_Group_compare(world, group, &result));
  say("groups similar: %d", result == MPI_SIMILAR);
  TRY(MPI_Group_free(&world));
  TRY(MPI_Group_free(&group));
  say("group null: %d", group == MPI_GROUP_NULL);
  TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){1}, 1, &cart));
  TRY(MPI_Topo_test(cart, &status));
  say("cart: %d", status == MPI_CART);
  TRY(MPI_Comm_free(&cart));
  say("freed is null: %d", cart == MPI_COMM_NULL);
  TRY(MPI_Intercomm_create(single, 0, MPI_COMM_WORLD, 1 - rank, 3, &between));
  TRY(MPI_Comm_test_inter(between, &inter));
  TRY(MPI_Comm_remote_size(between, &result));
  say("inter %d, remote size %d", inter, result);
  compare("between", between, MPI_COMM_WORLD);
  TRY(MPI_Intercomm_merge(between, rank == 0, &merged));
  compare("merged", merged, MPI_COMM_WORLD);
  TRY(MPI_Comm_disconnect(&merged));
  TRY(MPI_Comm_free(&between));
  TRY(MPI_Comm_free(&single));
  TRY(MPI_Comm_free(&part));
  TRY(MPI_Comm_free(&copy_));
}

static void info_and_types(void) {
  MPI_Info info, second;
  MPI_Datatype type;
  MPI_Aint lower, extent;
  int flag, number, numbers[10], addresses, types, combiner;
  char text[100] = "", name[MPI_MAX_OBJECT_NAME];
  TRY(MPI_Info_create(&info));
  TRY(MPI_Info_set(info, "a key", "a value"));
  TRY(MPI_Info_set(info, "another", "1"));
  TRY(MPI_Info_dup(info, &second));
  TRY(MPI_Info_get(second, "a key", 99, text, &flag));
  TRY(MPI_Info_get_nkeys(second, &number));
  say("info: %d '%s' %d", flag, text, number);
  TRY(MPI_Info_free(&info));
  TRY(MPI_Info_free(&second));
  TRY(MPI_Type_vector(3, 2, 5, MPI_INT, &type));
  TRY(MPI_Type_commit(&type));
  TRY(MPI_Type_get_extent(type, &lower, &extent));
  TRY(MPI_Type_size(type, &number));
  TRY(MPI_Type_get_envelope(type, numbers, &addresses, &types, &combiner));
  say("type: %ld %ld %d, vector %d", (long)lower, (long)extent, number, combiner == MPI_COMBINER_VECTOR);
  TRY(MPI_Type_set_name(type, "mine"));
  TRY(MPI_Type_get_name(type, name, &number));
  say("'%s'", name);
  int strided[15] = {0}, room[15] = {0};
  for (int i = 0; i < 15; i++) strided[i] = 100 * rank + i;
  TRY(MPI_Sendrecv(strided, 1, type, 1 - rank, 1, room, 1, type, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < 15; i++) say("strided %d", room[i]);
  TRY(MPI_Type_free(&type));
  say("type null: %d", type == MPI_DATATYPE_NULL);
}

static int reductions;
static void first_of_both(void *in, void *inout, int *count, MPI_Datatype *type) {
  reductions++;
  say("reduces %d, ints %d", *count, *type == MPI_INT);
  memcpy(inout, in, (size_t)*count * sizeof(int));  // not commutative: the left one wins
}

static void operations(void) {
  MPI_Op op;
  int mine[2] = {10 + rank, 20 + rank}, result[2] = {0, 0}, commutes;
  TRY(MPI_Op_create(first_of_both, 0, &op));
  TRY(MPI_Op_commutative(op, &commutes));
  TRY(MPI_Allreduce(mine, result, 2, MPI_INT, op, MPI_COMM_WORLD));
  say("allreduced: %d %d, commutes %d", result[0], result[1], commutes);
  TRY(MPI_Reduce(mine, result, 2, MPI_INT, op, 1, MPI_COMM_WORLD));
  say("reduced: %d %d", result[0], result[1]);
  TRY(MPI_Scan(mine, result, 2, MPI_INT, op, MPI_COMM_WORLD));
  say("scanned: %d %d, reductions %d", result[0], result[1], reductions);
  TRY(MPI_Reduce_local(mine, result, 2, MPI_INT, op));
  TRY(MPI_Op_free(&op));
  say("op null: %d", op == MPI_OP_NULL);
}

// Runs inside MPI_Finalize, first of all: MPI still works.
static int at_the_end(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)extra;
  int sum = 0, flag = 1, mine = rank + 1;
  say("at the end: %s", (const char *)value);
  TRY(MPI_Finalized(&flag));
  TRY(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
  say("finalized %d, sum %d", flag, sum);
  return MPI_SUCCESS;
}

void leave_something_for_finalize(void) {
  int keyval;
  TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &keyval, NULL));
  TRY(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, "last words"));
}

void objects(void) {
  attributes();
  communicators();
  info_and_types();
  operations();
}
