"""Makes the hostile files of PyTorch and README.md. Needs Python 3 only; writes beside itself."""

import pathlib
import struct
import zipfile

HERE = pathlib.Path(__file__).parent
ELEMENTS = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
PROTO, STOP, MARK, TUPLE, REDUCE, EMPTY_TUPLE = b"\x80\x02", b".", b"(", b"t", b"R", b")"
MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value):
    return b"J" + struct.pack("<i", value)


def long(value):
    return b"\x8a\x09" + value.to_bytes(9, "little", signed=True)


def name(module, word):
    return b"c" + module.encode() + b"\n" + word.encode() + b"\n"


def tuple_of(*parts):
    return MARK + b"".join(parts) + TUPLE


def call(function, *arguments):
    return function + tuple_of(*arguments) + REDUCE


def storage(key="0", count=6, kind="FloatStorage", *rest):
    return tuple_of(text("storage"), name("torch", kind), text(key), text("cpu"), number(count), *rest) + b"Q"


HOOKS = call(name("collections", "OrderedDict"))


def tensor(elements=None, offset=0, shape=(2, 3), strides=(3, 1), function="_rebuild_tensor_v2"):
    return call(
        name("torch._utils", function), storage() if elements is None else elements, number(offset),
        tuple_of(*map(number, shape)), tuple_of(*map(number, strides)), b"\x89", HOOKS)


def state(**entries):
    return PROTO + b"}" + MARK + b"".join(text(key) + value for key, value in entries.items()) + b"u" + STOP


def archive(pickle, members=None):
    """The members of an archive of torch.save."""
    return {"archive/data.pkl": pickle, "archive/data/0": ELEMENTS, **(members or {})}


def sequence(pickle=None, version=1001, keys=("0",), count=6, elements=ELEMENTS, tail=b"", little=b"\x88"):
    """A file of torch.save before 1.6."""
    facts = PROTO + b"}" + text("little_endian") + little + b"s" + STOP
    listed = PROTO + b"]" + MARK + b"".join(map(text, keys)) + b"e" + STOP
    return (
        MAGIC + PROTO + number(version) + STOP + facts + (pickle or state(w=tensor())) + listed
        + struct.pack("<q", count) + elements + tail)


def run(module, word, *arguments):
    return state(w=call(name(module, word), *arguments))


FILES = {
    # Calls of whatever a reader imports.
    "reduce_system": (archive(run("os", "system", text("id"))), "A command of the system."),
    "reduce_posix": (archive(run("posix", "system", text("id"))), "The same by the name of the module in CPython."),
    "reduce_eval": (archive(run("builtins", "eval", text("1"))), "Code as a text."),
    "reduce_exec": (archive(run("builtins", "exec", text("pass"))), "Statements as a text."),
    "reduce_getattr": (archive(run("builtins", "getattr", text("a"), text("b"))), "getattr, from which all else is reached."),
    "reduce_import": (archive(run("builtins", "__import__", text("os"))), "An import."),
    "reduce_popen": (archive(run("subprocess", "Popen", text("id"))), "A process."),
    "reduce_runpy": (archive(run("runpy", "_run_code", text("pass"))), "Code by way of runpy, which some scanners miss."),
    "reduce_pickle": (archive(run("pickle", "loads", text("x"))), "Another pickle within."),
    "reduce_load": (archive(run("torch", "load", text("other.pth"))), "Another file."),
    "reduce_hub": (archive(run("torch.hub", "load", text("a/b"))), "Code from the network."),
    "reduce_numpy": (archive(run("numpy.core.multiarray", "_reconstruct", text("x"))), "An array of NumPy, as checkpoints of some programs have."),
    "reduce_storage": (archive(state(w=call(name("torch", "FloatStorage"), number(6)))), "A storage without a file."),
    "reduce_ordered": (archive(state(w=call(name("collections", "OrderedDict"), b"]"))), "An OrderedDict of arguments."),
    "reduce_text": (archive(state(w=text("os") + EMPTY_TUPLE + REDUCE)), "A text that is called."),
    "reduce_no_tuple": (archive(state(w=name("collections", "OrderedDict") + b"]" + REDUCE)), "Arguments that are a list."),
    "stack_global": (archive(PROTO + text("os") + text("system") + b"\x93" + tuple_of(text("id")) + REDUCE + STOP), "A name by STACK_GLOBAL."),
    "stack_global_numbers": (archive(PROTO + number(1) + number(2) + b"\x93" + STOP), "A name of numbers."),
    "global_class": (archive(PROTO + name("__main__", "Net") + EMPTY_TUPLE + b"\x81" + STOP), "A whole model, whose class the reader would need."),
    "global_dotted": (archive(run("torch._utils", "os.system", text("id"))), "A dotted name, reached through a module that is allowed."),
    "global_line": (archive(PROTO + b"cos"), "A name without an end."),
    # Instructions that call or import.
    "inst": (archive(PROTO + MARK + text("id") + b"ios\nsystem\n" + STOP), "INST, which calls in protocol 0."),
    "obj": (archive(PROTO + MARK + name("torch", "Size") + text("id") + b"o" + STOP), "OBJ, which calls in protocol 1."),
    "newobj": (archive(PROTO + name("torch", "Size") + EMPTY_TUPLE + b"\x81" + STOP), "NEWOBJ, which makes an object."),
    "newobj_ex": (archive(PROTO + name("torch", "Size") + EMPTY_TUPLE + b"}" + b"\x92" + STOP), "NEWOBJ_EX, with keywords."),
    "ext1": (archive(PROTO + b"\x82\x01" + STOP), "A class by its number in the reader's registry."),
    "ext2": (archive(PROTO + b"\x83\x01\x00" + STOP), "The same with two bytes."),
    "ext4": (archive(PROTO + b"\x84\x01\x00\x00\x00" + STOP), "The same with four bytes."),
    "build_tensor": (archive(state(w=tensor() + b"}" + b"b")), "BUILD, which sets attributes of a tensor."),
    "build_name": (archive(PROTO + name("torch", "Size") + b"}" + b"b" + STOP), "BUILD for a class."),
    "set": (archive(PROTO + b"\x8f" + STOP), "A set."),
    "frozen_set": (archive(PROTO + MARK + number(1) + b"\x91" + STOP), "A frozen set."),
    "byte_array": (archive(PROTO + b"\x96" + struct.pack("<Q", 1) + b"x" + STOP), "A byte array."),
    "next_buffer": (archive(PROTO + b"\x97" + STOP), "A buffer outside of the file."),
    # References out of the pickle.
    "persistent_text": (archive(PROTO + b"P/etc/passwd\n" + STOP), "PERSID, a reference as text."),
    "persistent_file": (archive(state(w=tensor(text("/etc/passwd") + b"Q"))), "A persistent ID that is a path."),
    "persistent_module": (archive(PROTO + tuple_of(text("module"), text("Net"), text("net.py"), text("code")) + b"Q" + STOP), "The source of a class, as PyTorch once stored it."),
    "persistent_path": (archive(state(w=tensor(storage("../../etc/passwd")))), "A key that leaves the archive."),
    "persistent_negative": (archive(state(w=tensor(storage("0", -1)))), "A storage of fewer than no elements."),
    "persistent_number": (archive(state(w=tensor(tuple_of(text("storage"), number(1), text("0"), text("cpu"), number(6)) + b"Q"))), "A storage of no type."),
    "persistent_view": (archive(state(w=tensor(storage("0", 6, "FloatStorage", tuple_of(text("1"), number(0), number(6)))))), "A storage that is a part of another."),
    "storage_types": (archive(state(w=tensor(), v=tensor(storage("0", 6, "IntStorage")))), "One storage as floats and as integers."),
    "storage_missing": (archive(state(w=tensor(storage("7")))), "Elements that are not in the archive."),
    "storage_short": (archive(state(w=tensor()), {"archive/data/0": ELEMENTS[:-1]}), "A storage that is cut."),
    "storage_long": (archive(state(w=tensor()), {"archive/data/0": ELEMENTS * 2}), "A storage with more than it says."),
    # Tensors.
    "offset_beyond": (archive(state(w=tensor(offset=4))), "A tensor behind its storage."),
    "offset_negative": (archive(state(w=tensor(offset=-1))), "A tensor before its storage."),
    "stride_negative": (archive(state(w=tensor(offset=5, strides=(-3, -1)))), "A tensor that runs backwards."),
    "stride_beyond": (archive(state(w=tensor(strides=(3, 1 << 20)))), "A tensor whose rows lie far apart."),
    "stride_few": (archive(state(w=tensor(strides=(3,)))), "Fewer strides than axes."),
    "shape_negative": (archive(state(w=tensor(shape=(-2, 3)))), "Fewer than no rows."),
    "shape_overflow": (archive(state(w=tensor(shape=(1 << 30, 1 << 30, 1 << 30), strides=(0, 0, 0)))), "A size that overflows 64 bits."),
    "shape_text": (archive(state(w=tensor(shape=()).replace(tuple_of() + tuple_of(number(3)), text("x") + EMPTY_TUPLE))), "Too few numbers."),
    "expanded": (archive(state(w=tensor(storage("0"), shape=(1 << 20, 1 << 10), strides=(0, 0)))), "A billion elements of one number."),
    "sparse": (archive(run("torch._utils", "_rebuild_sparse_tensor", text("x"))), "A sparse tensor."),
    "quantized": (archive(run("torch._utils", "_rebuild_qtensor", text("x"))), "A quantized tensor."),
    # Sizes.
    "memo_bomb": (archive(PROTO + EMPTY_TUPLE + b"q\x00" + b"".join(b"h" + bytes([i]) + b"h" + bytes([i]) + b"\x86q" + bytes([i + 1]) for i in range(100)) + STOP), "2^100 elements by a hundred references."),
    "stack_bomb": (archive(PROTO + b"N" * ((1 << 20) + 1) + STOP), "A stack of millions."),
    "mark_bomb": (archive(PROTO + MARK * ((1 << 20) + 1) + STOP), "Millions of marks."),
    "text_huge": (archive(PROTO + b"\x8d" + struct.pack("<Q", 1 << 62) + STOP), "A text of 2^62 bytes."),
    "bytes_huge": (archive(PROTO + b"\x8e" + struct.pack("<Q", (1 << 64) - 1) + STOP), "Bytes whose number is negative as a signed one."),
    "tuple_huge": (archive(PROTO + b"j" + struct.pack("<I", 1 << 30) + STOP), "The value number 2^30 of the memo."),
    "long_huge": (archive(state(w=tensor(storage("0").replace(number(6), long(1 << 63))))), "A number of more than 64 bits."),
    "deep": (archive(PROTO + EMPTY_TUPLE + b"\x85" * 1000000 + STOP), "A million tuples in each other, for readers that recurse."),
    # Syntax.
    "cut": (archive(state(w=tensor())[:-5]), "A pickle without an end."),
    "empty": (archive(b""), "No pickle."),
    "opcode": (archive(PROTO + b"\xff" + STOP), "An instruction that there is not."),
    "protocol": (archive(b"\x80\x09N."), "A protocol of the future."),
    "pop_empty": (archive(PROTO + b"0" + STOP), "A value taken from an empty stack."),
    "pop_mark": (archive(PROTO + number(1) + MARK + b"\x85" + STOP), "A value from behind a mark."),
    "mark_missing": (archive(PROTO + b"t" + STOP), "A tuple without its mark."),
    "memo_missing": (archive(PROTO + b"h\x05" + STOP), "A value that was not stored."),
    "append_number": (archive(PROTO + number(1) + number(2) + b"a" + STOP), "An element of a number."),
    "set_list": (archive(PROTO + b"]" + text("a") + number(1) + b"s" + STOP), "An item of a list by its name."),
    "pair_half": (archive(PROTO + b"}" + MARK + text("a") + b"u" + STOP), "A key without a value."),
    "key_list": (archive(PROTO + b"}" + b"]" + number(1) + b"s" + STOP), "A key that no dict can have."),
    "text_bytes": (archive(PROTO + b"X\x01\x00\x00\x00\xff" + STOP), "A text that is not UTF-8."),
    "number_text": (archive(PROTO + b"Iabc\n" + STOP), "A number of letters."),
    "not_a_dict": (archive(PROTO + b"]" + STOP), "A list."),
    "no_tensors": (archive(state(epoch=number(3))), "A dict without tensors."),
    "two_dicts": (archive(PROTO + b"}" + MARK + text("generator") + state(w=tensor())[2:-1] + text("critic") + state(w=tensor())[2:-1] + b"u" + STOP), "Two models in one file."),
    "big_endian": (archive(state(w=tensor()), {"archive/byteorder": b"big"}), "Numbers with the most significant byte first."),
    # The form before 1.6.
    "old_version": (sequence(version=1002), "A version that there is not."),
    "old_big_endian": (sequence(little=b"\x89"), "Numbers with the most significant byte first."),
    "old_count": (sequence(count=5), "A storage of another size than its tensors say."),
    "old_key": (sequence(keys=("1",)), "A storage that no tensor has."),
    "old_no_keys": (sequence(keys=()), "No storages, and bytes behind."),
    "old_cut": (sequence(elements=ELEMENTS[:-1]), "A storage that is cut."),
    "old_tail": (sequence(tail=b"#!/bin/sh\n"), "Something behind the last storage."),
    "old_reduce": (sequence(run("os", "system", text("id"))), "A command of the system."),
}


def write(path, contents):
    if isinstance(contents, bytes):
        path.write_bytes(contents)
        return
    with zipfile.ZipFile(path, "w") as target:
        for member, content in contents.items():
            kind = zipfile.ZIP_DEFLATED if len(content) > 4096 else zipfile.ZIP_STORED
            info = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            target.writestr(info, content, compress_type=kind)


def main():
    for old in HERE.glob("*.pth"):
        old.unlink()
    lines = [
        "# Hostile files of PyTorch", "",
        "What `torch.load` would run, read out of bounds or fill the memory with, and what is broken.",
        "`make.py` writes them, and this list, without PyTorch.", ""]
    for title, (contents, reason) in sorted(FILES.items()):
        write(HERE / f"{title}.pth", contents)
        lines.append(f"- `{title}.pth`: {reason}")
    (HERE / "README.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
