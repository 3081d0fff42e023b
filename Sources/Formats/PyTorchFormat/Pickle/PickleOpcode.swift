/// The instructions of pickles, protocols 0 to 5 (CPython, `pickletools`).
enum PickleOpcode: UInt8 {
  case mark = 0x28, stop = 0x2E, pop = 0x30, popMark = 0x31, duplicate = 0x32
  case float = 0x46, integer = 0x49, binaryInteger = 0x4A, binaryInteger1 = 0x4B
  case long = 0x4C, binaryInteger2 = 0x4D, none = 0x4E, persistentID = 0x50
  case binaryPersistentID = 0x51, reduce = 0x52, string = 0x53, binaryString = 0x54
  case shortBinaryString = 0x55, unicode = 0x56, binaryUnicode = 0x58
  case append = 0x61, build = 0x62, global = 0x63, dictionary = 0x64, emptyDictionary = 0x7D
  case appends = 0x65, get = 0x67, binaryGet = 0x68, instance = 0x69, longBinaryGet = 0x6A
  case list = 0x6C, emptyList = 0x5D, object = 0x6F, put = 0x70, binaryPut = 0x71
  case longBinaryPut = 0x72, setItem = 0x73, tuple = 0x74, emptyTuple = 0x29, setItems = 0x75
  case binaryFloat = 0x47, binaryBytes = 0x42, shortBinaryBytes = 0x43
  case proto = 0x80, newObject = 0x81, extension1 = 0x82, extension2 = 0x83, extension4 = 0x84
  case tuple1 = 0x85, tuple2 = 0x86, tuple3 = 0x87, newTrue = 0x88, newFalse = 0x89
  case long1 = 0x8A, long4 = 0x8B, shortBinaryUnicode = 0x8C, binaryUnicode8 = 0x8D
  case binaryBytes8 = 0x8E, emptySet = 0x8F, addItems = 0x90, frozenSet = 0x91
  case newObjectWithKeywords = 0x92, stackGlobal = 0x93, memoize = 0x94, frame = 0x95
  case byteArray8 = 0x96, nextBuffer = 0x97, readOnlyBuffer = 0x98

  /// Why the instruction is refused, by its name in CPython; `nil` for one that only makes data.
  var refusal: String? {
    switch self {
    case .instance: "INST, which calls a class"
    case .object: "OBJ, which calls a class"
    case .newObject: "NEWOBJ, which makes an object of a class"
    case .newObjectWithKeywords: "NEWOBJ_EX, which makes an object of a class"
    case .extension1: "EXT1, which names a class by a number of the reader's own"
    case .extension2: "EXT2, which names a class by a number of the reader's own"
    case .extension4: "EXT4, which names a class by a number of the reader's own"
    case .persistentID: "PERSID, a reference out of the file as text"
    case .emptySet, .addItems, .frozenSet: "a set, which no state dictionary has"
    case .byteArray8: "BYTEARRAY8, which no state dictionary has"
    case .nextBuffer, .readOnlyBuffer: "a buffer outside of the file"
    default: nil
    }
  }
}
