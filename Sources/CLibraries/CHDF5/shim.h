// What Swift cannot import from HDF5's headers: macros, variadic and versioned functions.
// Works with HDF5 1.10.3 and later; 1.12 renamed the functions that query links and objects.
#ifndef CHDF5_SHIM_H
#define CHDF5_SHIM_H

#include <hdf5.h>
#include <stdint.h>
#include <string.h>

#if H5_VERSION_GE(1, 12, 0)
#define CHDF5_TOKENS 1
#else
#define CHDF5_TOKENS 0
#endif

// What an object is, and what a link is.
#define CHDF5_GROUP 0
#define CHDF5_DATASET 1
#define CHDF5_OTHER_OBJECT 2
#define CHDF5_HARD_LINK 3
#define CHDF5_SOFT_LINK 4
#define CHDF5_EXTERNAL_LINK 5
#define CHDF5_OTHER_LINK 6

static inline hid_t chdf5_default(void) { return H5P_DEFAULT; }
static inline hid_t chdf5_all(void) { return H5S_ALL; }
static inline hid_t chdf5_native_int64(void) { return H5T_NATIVE_INT64; }
static inline hid_t chdf5_native_uint64(void) { return H5T_NATIVE_UINT64; }
static inline hid_t chdf5_native_double(void) { return H5T_NATIVE_DOUBLE; }
static inline uint64_t chdf5_no_address(void) { return (uint64_t)HADDR_UNDEF; }

/// The handler that prints errors, kept while it is switched off.
struct chdf5_printer {
  H5E_auto2_t function;
  void *data;
};

/// Disables error printing for this thread, since a library must not print.
static inline struct chdf5_printer chdf5_silence(void) {
  struct chdf5_printer printer = {NULL, NULL};
  H5open();
  H5Eget_auto2(H5E_DEFAULT, &printer.function, &printer.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return printer;
}

/// Restores the error handler, and clears the error stack.
static inline void chdf5_restore(struct chdf5_printer printer) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, printer.function, printer.data);
}

static inline herr_t chdf5_copy_description(unsigned n, const H5E_error2_t *error, void *context) {
  char *text = (char *)context;  // of 512 bytes, zeroed; see below
  if (n == 0 && error->desc) strncpy(text, error->desc, 511);
  return 0;
}

/// Copies the innermost description of this thread's error stack into 512 bytes of text.
static inline void chdf5_last_error(char *text) {
  memset(text, 0, 512);
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, chdf5_copy_description, text);
}

/// Opens a file for reading; negative when HDF5 cannot.
static inline hid_t chdf5_open(const char *path) {
  return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

// The callbacks' user data is the image's memory. Whenever HDF5 would allocate a copy of the image, they
// return that memory, so nothing is copied, resized or freed.
static inline void *chdf5_image_malloc(size_t size, H5FD_file_image_op_t operation, void *image) {
  (void)size, (void)operation;
  return image;
}
static inline void *chdf5_image_memcpy(
    void *to, const void *from, size_t size, H5FD_file_image_op_t operation, void *image) {
  (void)size, (void)operation, (void)image;
  return to == from ? to : NULL;
}
static inline void *chdf5_image_realloc(
    void *memory, size_t size, H5FD_file_image_op_t operation, void *image) {
  (void)memory, (void)size, (void)operation, (void)image;
  return NULL;
}
static inline herr_t chdf5_image_free(void *memory, H5FD_file_image_op_t operation, void *image) {
  (void)memory, (void)operation, (void)image;
  return 0;
}
static inline void *chdf5_image_data(void *image) { return image; }
static inline herr_t chdf5_image_data_free(void *image) {
  (void)image;
  return 0;
}

/// Opens a file in memory for reading, in place; negative when HDF5 cannot. The memory must remain valid
/// until the file is closed, and each open image needs a different name.
static inline hid_t chdf5_open_image(const void *image, size_t size, const char *name) {
  H5FD_file_image_callbacks_t callbacks = {
      chdf5_image_malloc, chdf5_image_memcpy, chdf5_image_realloc, chdf5_image_free,
      chdf5_image_data, chdf5_image_data_free, (void *)image};
  hid_t file = -1;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
      H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
      H5Pset_file_image(access, (void *)image, size) >= 0) {
    file = H5Fopen(name, H5F_ACC_RDONLY, access);
  }
  if (access >= 0) H5Pclose(access);
  return file;
}

static inline int chdf5_object_kind(H5O_type_t type) {
  return type == H5O_TYPE_GROUP ? CHDF5_GROUP
         : type == H5O_TYPE_DATASET ? CHDF5_DATASET : CHDF5_OTHER_OBJECT;
}

/// An object's kind and an identity that all hard links to it share.
static inline herr_t chdf5_object(
    hid_t location, const char *name, int *kind, uint64_t *identity) {
#if CHDF5_TOKENS
  H5O_info2_t info;
  herr_t status = H5Oget_info_by_name3(location, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
  if (status >= 0) memcpy(identity, &info.token, sizeof *identity);
#else
  H5O_info_t info;
  herr_t status = H5Oget_info_by_name2(location, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
  if (status >= 0) *identity = (uint64_t)info.addr;
#endif
  if (status >= 0) *kind = chdf5_object_kind(info.type);
  return status;
}

static inline int chdf5_link_kind(H5L_type_t type) {
  return type == H5L_TYPE_HARD ? CHDF5_HARD_LINK
         : type == H5L_TYPE_SOFT ? CHDF5_SOFT_LINK
         : type == H5L_TYPE_EXTERNAL ? CHDF5_EXTERNAL_LINK : CHDF5_OTHER_LINK;
}

/// A link's kind and, unless it is hard, the size of its value.
static inline herr_t chdf5_link(hid_t group, const char *name, int *kind, size_t *size) {
#if CHDF5_TOKENS
  H5L_info2_t info;
  herr_t status = H5Lget_info2(group, name, &info, H5P_DEFAULT);
#else
  H5L_info_t info;
  herr_t status = H5Lget_info(group, name, &info, H5P_DEFAULT);
#endif
  if (status >= 0) {
    *kind = chdf5_link_kind(info.type);
    *size = info.type == H5L_TYPE_HARD ? 0 : info.u.val_size;
  }
  return status;
}

/// Takes a link's name and kind; a result other than 0 ends the iteration.
typedef herr_t (*chdf5_link_visitor)(const char *name, int kind, void *context);

struct chdf5_link_visit {
  chdf5_link_visitor visitor;
  void *context;
};

#if CHDF5_TOKENS
static inline herr_t chdf5_visit_link(
    hid_t group, const char *name, const H5L_info2_t *info, void *context) {
#else
static inline herr_t chdf5_visit_link(
    hid_t group, const char *name, const H5L_info_t *info, void *context) {
#endif
  struct chdf5_link_visit *visit = (struct chdf5_link_visit *)context;
  (void)group;
  return visit->visitor(name, chdf5_link_kind(info->type), visit->context);
}

/// Calls `visitor` with every link of a group, in the order of their names.
static inline herr_t chdf5_each_link(hid_t group, chdf5_link_visitor visitor, void *context) {
  struct chdf5_link_visit visit = {visitor, context};
#if CHDF5_TOKENS
  return H5Literate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, chdf5_visit_link, &visit);
#else
  return H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, chdf5_visit_link, &visit);
#endif
}

/// Creates a file, replacing any existing one, in the oldest format that can represent its contents and
/// without timestamps. Raw data of at least 4 * `alignment` bytes begins at a multiple of `alignment`.
/// Negative when HDF5 cannot.
static inline hid_t chdf5_create(const char *path, size_t alignment) {
  hid_t file = -1;
  hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
  if (creation >= 0 && access >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
      H5Pset_alignment(access, 4 * alignment, alignment) >= 0) {
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  }
  if (creation >= 0) H5Pclose(creation);
  if (access >= 0) H5Pclose(access);
  return file;
}

/// Creates a file, replacing any existing one, in the newest format. For tests. Negative when HDF5 cannot.
static inline hid_t chdf5_create_newest(const char *path) {
  hid_t file = -1, access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0) {
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  }
  if (access >= 0) H5Pclose(access);
  return file;
}

/// Creates a group without timestamps.
static inline hid_t chdf5_create_group(hid_t file, const char *path) {
  hid_t group = -1, creation = H5Pcreate(H5P_GROUP_CREATE);
  if (creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0) {
    group = H5Gcreate2(file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
  }
  if (creation >= 0) H5Pclose(creation);
  return group;
}

/// Creates a contiguous dataset without timestamps. Space for its elements is allocated, but they are not
/// written.
static inline hid_t chdf5_create_dataset(hid_t file, const char *path, hid_t type, hid_t space) {
  hid_t dataset = -1, creation = H5Pcreate(H5P_DATASET_CREATE);
  if (creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
      H5Pset_layout(creation, H5D_CONTIGUOUS) >= 0 &&
      H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
      H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0) {
    dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  }
  if (creation >= 0) H5Pclose(creation);
  return dataset;
}

/// Creates an attribute and writes its value, unless `value` is NULL because there are no elements.
static inline herr_t chdf5_write_attribute(
    hid_t object, const char *name, hid_t type, hid_t space, const void *value) {
  herr_t status = -1;
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) {
    status = value ? H5Awrite(attribute, type, value) : 0;
    if (H5Aclose(attribute) < 0) status = -1;
  }
  return status;
}

/// A new string type: variable-length UTF-8 if `size` is 0, otherwise of a fixed size, padded with zeros.
static inline hid_t chdf5_text(size_t size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && size == 0) H5Tset_cset(type, H5T_CSET_UTF8);
  if (type >= 0) H5Tset_size(type, size == 0 ? H5T_VARIABLE : size);
  if (type >= 0 && size > 0) H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

/// A new little-endian integer type.
static inline hid_t chdf5_integer(size_t size, int is_signed) {
  hid_t type = H5Tcopy(is_signed ? H5T_STD_I64LE : H5T_STD_U64LE);
  if (type >= 0) H5Tset_size(type, size);
  return type;
}

/// A new little-endian IEEE 754 type.
static inline hid_t chdf5_float(size_t size) {
  hid_t type = H5Tcopy(size == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
  if (type >= 0 && size == 2) {
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
  }
  return type;
}

/// A new boolean type, as h5py writes it.
static inline hid_t chdf5_bool(void) {
  int8_t no = 0, yes = 1;
  hid_t type = H5Tenum_create(H5T_STD_I8LE);
  if (type >= 0) {
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
  }
  return type;
}

/// A new opaque type.
static inline hid_t chdf5_opaque(size_t size) { return H5Tcreate(H5T_OPAQUE, size); }

/// Frees the strings that HDF5 allocated while it read variable-length strings.
static inline herr_t chdf5_reclaim(hid_t type, hid_t space, void *strings) {
#if CHDF5_TOKENS
  return H5Treclaim(type, space, H5P_DEFAULT, strings);
#else
  return H5Dvlen_reclaim(type, space, H5P_DEFAULT, strings);
#endif
}

#endif
