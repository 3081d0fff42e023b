import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/pytorch` and how they are refused.
enum HostilePyTorchFiles {
  static let all: [HostileFile] = [
    .init("append_number", .malformed, "appends to an int, expected a list"),
    .init("big_endian", .unsupported, "has the byte order big, and little is read"),
    .init(
      "build_name", .unsupported, "has the instruction BUILD for torch.Size, which sets attributes"),
    .init(
      "build_tensor", .unsupported, "has the instruction BUILD for a tensor, which sets attributes"),
    .init(
      "byte_array", .unsupported, "has the instruction BYTEARRAY8, which no state dictionary has"),
    .init("bytes_huge", .malformed, "has a value of 18446744073709551615 bytes, and 1 are left"),
    .init("cut", .malformed, "needs 1 byte, but 0 are left"),
    .init("deep", .unsupported, "holds a tuple, expected a dict of tensors by name"),
    .init("empty", .malformed, "needs 1 byte, but 0 are left"),
    .init(
      "expanded", .unsupported,
      "has a tensor of 1073741824 elements that repeats those of a storage of 6"),
    .init(
      "ext1", .unsupported,
      "has the instruction EXT1, which names a class by a number of the reader's ow"),
    .init(
      "ext2", .unsupported,
      "has the instruction EXT2, which names a class by a number of the reader's ow"),
    .init(
      "ext4", .unsupported,
      "has the instruction EXT4, which names a class by a number of the reader's ow"),
    .init("frozen_set", .unsupported, "has the instruction a set, which no state dictionary has"),
    .init("global_class", .unsupported, "names __main__.Net"),
    .init("global_dotted", .unsupported, "names torch._utils.os.system"),
    .init("global_line", .malformed, "needs 1 byte, but 0 are left"),
    .init("inst", .unsupported, "has the instruction INST, which calls a class"),
    .init(
      "key_list", .unsupported, "has a list as the key of a dict, expected a text or an integer"),
    .init(
      "long_huge", .unsupported, "refers to something outside of the pickle that is no storage"),
    .init("mark_bomb", .limitExceeded, "holds more than 1048576 values"),
    .init("mark_missing", .malformed, "takes values up to a mark that it has not set"),
    .init("memo_bomb", .unsupported, "holds a tuple, expected a dict of tensors by name"),
    .init("memo_missing", .malformed, "refers to the value 5, which it has not stored"),
    .init("newobj", .unsupported, "has the instruction NEWOBJ, which makes an object of a class"),
    .init(
      "newobj_ex", .unsupported, "has the instruction NEWOBJ_EX, which makes an object of a class"),
    .init("next_buffer", .unsupported, "has the instruction a buffer outside of the file"),
    .init(
      "no_tensors", .unsupported, "holds no dict of tensors by name, or several: epoch (an int)"),
    .init("not_a_dict", .unsupported, "holds a list, expected a dict of tensors by name"),
    .init("number_text", .malformed, "has abc, expected an integer of 64 bits"),
    .init("obj", .unsupported, "has the instruction OBJ, which calls a class"),
    .init(
      "offset_beyond", .malformed,
      "has a tensor up to element 9, expected one of the storage's 6 elements"),
    .init(
      "offset_negative", .malformed,
      "has a tensor with the shape [2, 3], the strides [3, 1] and the offset -1, ex"),
    .init(
      "old_big_endian", .unsupported, "has another byte order than little-endian, which is read"),
    .init("old_count", .malformed, "has a storage of 5 elements, expected 6"),
    .init("old_cut", .malformed, "needs 24 bytes, but 23 are left"),
    .init("old_key", .malformed, "lists a str that no tensor has, expected the key of a storage"),
    .init("old_no_keys", .malformed, "has 32 bytes after the last storage"),
    .init("old_reduce", .unsupported, "names os.system"),
    .init("old_tail", .malformed, "has 10 bytes after the last storage"),
    .init("old_version", .unsupported, "is of version 1002 of torch.save, and 1001 is read"),
    .init("opcode", .malformed, "has the instruction 255, which pickles do not have"),
    .init("pair_half", .malformed, "has a key without a value"),
    .init(
      "persistent_file", .unsupported,
      "refers to something outside of the pickle that is no storage"),
    .init(
      "persistent_module", .unsupported,
      "refers to something outside of the pickle that is no storage"),
    .init(
      "persistent_negative", .unsupported,
      "refers to something outside of the pickle that is no storage"),
    .init(
      "persistent_number", .unsupported,
      "refers to something outside of the pickle that is no storage"),
    .init(
      "persistent_path", .malformed,
      "has no member data/../../etc/passwd, which holds the elements of a tensor"),
    .init(
      "persistent_text", .unsupported,
      "has the instruction PERSID, a reference out of the file as text"),
    .init(
      "persistent_view", .unsupported,
      "has a storage that is a part of another, as PyTorch wrote before 0.4"),
    .init("pop_empty", .malformed, "takes a value that it has not made"),
    .init("pop_mark", .malformed, "takes a value that it has not made"),
    .init("protocol", .unsupported, "is a pickle of protocol 9, and 0 to 5 are read"),
    .init("quantized", .unsupported, "holds a quantized tensor"),
    .init("reduce_eval", .unsupported, "names builtins.eval"),
    .init("reduce_exec", .unsupported, "names builtins.exec"),
    .init("reduce_getattr", .unsupported, "names builtins.getattr"),
    .init("reduce_hub", .unsupported, "names torch.hub.load"),
    .init("reduce_import", .unsupported, "names builtins.__import__"),
    .init("reduce_load", .unsupported, "names torch.load"),
    .init(
      "reduce_no_tuple", .malformed,
      "calls collections.OrderedDict with a list, expected a name with a tuple"),
    .init("reduce_numpy", .unsupported, "names numpy.core.multiarray._reconstruct"),
    .init(
      "reduce_ordered", .unsupported, "makes an OrderedDict of arguments, which torch.save does not"
    ),
    .init("reduce_pickle", .unsupported, "names pickle.loads"),
    .init("reduce_popen", .unsupported, "names subprocess.Popen"),
    .init("reduce_posix", .unsupported, "names posix.system"),
    .init("reduce_runpy", .unsupported, "names runpy._run_code"),
    .init(
      "reduce_storage", .unsupported,
      "calls torch.FloatStorage, and elements are read from the file's storages onl"),
    .init("reduce_system", .unsupported, "names os.system"),
    .init("reduce_text", .malformed, "calls a str with a tuple, expected a name with a tuple"),
    .init("set", .unsupported, "has the instruction a set, which no state dictionary has"),
    .init("set_list", .malformed, "sets items of a list, expected a dict"),
    .init(
      "shape_negative", .malformed,
      "has a tensor with the shape [-2, 3], the strides [3, 1] and the offset 0, ex"),
    .init("shape_overflow", .malformed, "the size of a tensor is negative or too large"),
    .init(
      "shape_text", .malformed,
      "has a tensor of 0 axes with 2 strides, expected as many, at most 64"),
    .init("sparse", .unsupported, "holds a sparse tensor"),
    .init("stack_bomb", .limitExceeded, "holds more than 1048576 values"),
    .init("stack_global", .unsupported, "names os.system"),
    .init(
      "stack_global_numbers", .malformed, "names a class by an int and an int, expected texts"),
    .init("storage_long", .malformed, "has a storage of 48 bytes, and 6 elements take 24"),
    .init(
      "storage_missing", .malformed, "has no member data/7, which holds the elements of a tensor"),
    .init("storage_short", .malformed, "has a storage of 23 bytes, and 6 elements take 24"),
    .init(
      "storage_types", .malformed, "has the storage 0 with several types or sizes, expected one"),
    .init(
      "stride_beyond", .malformed,
      "has a tensor up to element 2097155, expected one of the storage's 6 elements"),
    .init(
      "stride_few", .malformed,
      "has a tensor of 2 axes with 1 strides, expected as many, at most 64"),
    .init(
      "stride_negative", .malformed,
      "has a tensor with the shape [2, 3], the strides [-3, -1] and the offset 5, e"),
    .init("text_bytes", .malformed, "has a text that is not UTF-8"),
    .init("text_huge", .malformed, "has a value of 4611686018427387904 bytes, and 1 are left"),
    .init("tuple_huge", .malformed, "refers to the value 1073741824, which it has not stored"),
    .init(
      "two_dicts", .unsupported,
      "holds no dict of tensors by name, or several: generator (a dict), critic (a "),
  ]
}

/// Files of PyTorch that `torch.load` would run, or that are broken.
@Suite struct HostilePyTorchTests {
  @Test(
    "A hostile pickle is refused with its name, and nothing of it is run",
    arguments: HostilePyTorchFiles.all)
  func refused(_ file: HostileFile) {
    let path = Paths.sample("Hostile/pytorch/\(file.name).pth")
    let error = failure {
      if let problem = try Inspection(of: path).problem { throw problem }
    }
    #expect(error.map(file.explains) == true, "\(error.map { "\($0)" } ?? "no error")")
  }

  @Test("Every file of the folder is expected here")
  func complete() {
    let names = Files.names(in: Paths.sample("Hostile/pytorch")).filter { $0.hasSuffix(".pth") }
    #expect(names == HostilePyTorchFiles.all.map { "\($0.name).pth" }.sorted())
  }
}
