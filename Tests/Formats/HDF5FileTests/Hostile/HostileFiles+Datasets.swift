import Bytes

/// The rules about datasets, each broken once.
extension HostileFiles {
  static let datasets: [HostileFile] = [
    HostileFile(
      "a shape of 200 dimensions", "one.h5", .message("/data", 0x01), 1, .value(200, 1), "/data",
      "the dataspace has 200 dimensions; HDF5 has at most 32"),
    HostileFile(
      "a shape of version 9", "one.h5", .message("/data", 0x01), 0, .value(9, 1), "/data",
      "the dataspace has version 9; 1 to 2 can be read", .unsupported),
    HostileFile(
      "a shape larger than the dataset", "one.h5", .message("/data", 0x01), 8, .value(1000000, 8),
      "/data", "the dataspace has a dimension of 1000000 above its maximum 4"),
    HostileFile(
      "a shape that no memory holds", "one.h5", .message("/data", 0x01), 8, .value(1 << 62, 8),
      "/data", "the dataspace has a dimension of 4611686018427387904 above its maximum 4"),
    HostileFile(
      "a shape that no integer holds", "one.h5", .message("/data", 0x01), 8,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/data", "has a count that is too large"),
    HostileFile(
      "a size beyond the largest", "one.h5", .message("/data", 0x01), 16, .value(1, 8), "/data",
      "the dataspace has a dimension of 4 above its maximum 1"),
    HostileFile(
      "a type of version 0", "one.h5", .message("/data", 0x03), 0, .value(1, 1), "/data",
      "the datatype has version 0; 1 to 5 can be read", .unsupported),
    HostileFile(
      "a type of an unknown class", "one.h5", .message("/data", 0x03), 0, .value(0x1F, 1), "/data",
      "the datatype is of class 15, which is not known", .unsupported),
    HostileFile(
      "a type of no bytes", "one.h5", .message("/data", 0x03), 4, .value(0, 4), "/data",
      "the datatype has elements of 0 bytes"),
    HostileFile(
      "a number of more bits than bytes", "one.h5", .message("/data", 0x03), 10, .value(200, 2),
      "/data", "the datatype has numbers of 200 bits from bit 0 in 4 bytes"),
    HostileFile(
      "a number of no bits", "one.h5", .message("/data", 0x03), 10, .value(0, 2), "/data",
      "the datatype has numbers of 0 bits from bit 0 in 4 bytes"),
    HostileFile(
      "an exponent outside the number", "one.h5", .message("/data", 0x03), 12, .value(250, 1),
      "/data", "the datatype has floating-point numbers whose parts do not fit"),
    HostileFile(
      "an array of another size than its type", "Family/numbers_earliest.h5",
      .message("/array", 0x03), 4, .value(77, 4), "/array",
      "the datatype is an array of [2, 3], which does not take 77 bytes"),
    HostileFile(
      "a compound with a member outside", "Family/numbers_earliest.h5", .message("/pair", 0x03), 4,
      .value(5, 4), "/pair", "the datatype has a member outside its 5 bytes"),
    HostileFile(
      "an enumeration whose numbers are larger", "Family/numbers_earliest.h5",
      .message("/enumeration", 0x03), 4, .value(8, 4), "/enumeration",
      "the datatype is an enumeration that is not of integers"),
    HostileFile(
      "a layout of version 9", "one.h5", .message("/data", 0x08), 0, .value(9, 1), "/data",
      "the data layout has version 9; 1 to 5 can be read", .unsupported),
    HostileFile(
      "a layout of class 7", "one.h5", .message("/data", 0x08), 1, .value(7, 1), "/data",
      "the data layout is of class 7, which is not known"),
    HostileFile(
      "elements behind the end", "one.h5", .message("/data", 0x08), 2, .value(1 << 40, 8), "/data",
      "is at bytes 1099511627776 to 1099511627792, beyond the end of the file at 2064"),
    HostileFile(
      "elements whose address overflows", "one.h5", .message("/data", 0x08), 2,
      .value(0x7FFF_FFFF_FFFF_FFF0, 8), "/data",
      "the dataset's end is negative or too large"),
    HostileFile(
      "fewer bytes than elements", "one.h5", .message("/data", 0x08), 10, .value(3, 8), "/data",
      "has 3 bytes stored, but elements of 16"),
    HostileFile(
      "compact elements longer than the message", "Family/layouts_earliest.h5",
      .message("/compact", 0x08), 2, .value(0xFFFF, 2), "/compact",
      "has metadata that end too early: 65535 bytes needed, 244 left"),
    HostileFile(
      "fewer compact bytes than elements", "Family/layouts_earliest.h5", .message("/compact", 0x08),
      2, .value(8, 2), "/compact", "has metadata that end too early: 240 bytes needed, 8 left"),
    HostileFile(
      "a fill value of version 9", "Family/layouts_earliest.h5",
      .message("/unwritten_filled", 0x05), 0, .value(9, 1), "/unwritten_filled",
      "the fill value has version 9; 1 to 3 can be read", .unsupported),
    HostileFile(
      "a fill value of another size than an element", "Family/layouts_earliest.h5",
      .message("/unwritten_filled", 0x05), 4, .value(3, 4), "/unwritten_filled",
      "has a fill value of 3 bytes for elements of 4"),
    HostileFile(
      "a fill value longer than the message", "Family/layouts_earliest.h5",
      .message("/unwritten_filled", 0x05), 4, .value(0xFFFF_FF00, 4), "/unwritten_filled",
      "has metadata that end too early: 4294967040 bytes needed, 8 left"),
    HostileFile(
      "a dataset without elements and without a fill value", "Family/layouts_earliest.h5",
      .message("/unwritten", 0x05), 3, .value(0, 1), "/unwritten",
      "was never written, but says that it has no fill value"),
  ]
}
