/// The instructions of some versions of Python, as far as simple functions use them.
///
/// They are numbered as in `opcode.opmap` of each version.
struct PythonDialect: Sendable {
  enum Instruction: Hashable, Sendable {
    case nothing, discard, pushNull, negate
    case binary(String)
    /// A binary operation given by the argument.
    case numberedBinary
    case item
    /// `x[a:b]` in one instruction; in Python 2, the instruction determines which ends are given.
    case slicedItem, slicedItem2(lower: Bool, upper: Bool)
    case slice, tuple, extendTuple
    case returnValue, returnConstant
    case storeLocal, local, twoLocals, constant, global, shared, attribute, method
    case importModule, importName
    /// A call; in Python 2, the high byte is the number of named arguments.
    case call2, call, callNamed, callMethod, callBoth, callBothNamed, argumentNames
    case extendedArgument
  }

  /// The layout of functions in these versions.
  let layout: PythonCode.Layout
  let instructions: [UInt8: Instruction]
  /// The lowest number of an instruction with an argument of two bytes; lower ones have a single
  /// byte. `nil` where each instruction has two bytes.
  var firstWithArgument: UInt8?
  /// The number of units reserved after some instructions for inline caches.
  var caches: [UInt8: Int] = [:]
  /// Whether the index of a name has a flag in its lowest bit: for global names (3.11), and for
  /// attributes (3.12).
  var flagsGlobals = false
  var flagsAttributes = false

  /// All known dialects.
  static let all = [python27, python36, python311, python312, python313]

  private static let signs: [UInt8: Instruction] = [
    11: .negate, 19: .binary("**"), 20: .binary("*"), 23: .binary("+"), 24: .binary("-"),
    25: .item, 26: .binary("//"), 27: .binary("/"),
  ]

  /// The instructions with the same numbers in Python 2.7 to 3.12.
  private static let common: [UInt8: Instruction] = [
    1: .discard, 83: .returnValue, 100: .constant, 102: .tuple, 103: .tuple, 106: .attribute,
    108: .importModule, 109: .importName, 116: .global, 124: .local, 125: .storeLocal, 133: .slice,
  ]

  static let python27 = PythonDialect(
    layout: .python2,
    instructions: merged([
      common, signs,
      [
        21: .binary("/"), 30: .slicedItem2(lower: false, upper: false),
        31: .slicedItem2(lower: true, upper: false), 32: .slicedItem2(lower: false, upper: true),
        33: .slicedItem2(lower: true, upper: true), 131: .call2, 136: .shared,
      ],
    ]), firstWithArgument: 90)

  /// Python 3.6 to 3.10, whose instructions for simple functions have the same numbers.
  static let python36 = PythonDialect(
    layout: .python3,
    instructions: merged([
      common, signs,
      [
        131: .call, 136: .shared, 141: .callNamed, 144: .extendedArgument, 160: .method,
        161: .callMethod, 162: .extendTuple,
      ],
    ]))

  /// The instructions with the same numbers in Python 3.11 and 3.12.
  private static let common311: [UInt8: Instruction] = [
    2: .pushNull, 9: .nothing, 11: .negate, 25: .item, 122: .numberedBinary, 137: .shared,
    144: .extendedArgument, 149: .nothing, 151: .nothing, 162: .extendTuple, 171: .callBoth,
    172: .argumentNames,
  ]

  static let python311 = PythonDialect(
    layout: .python311,
    instructions: merged([common, common311, [160: .method, 166: .nothing]]),
    caches: [25: 4, 106: 4, 116: 5, 122: 1, 160: 10, 166: 1, 171: 4], flagsGlobals: true)

  static let python312 = PythonDialect(
    layout: .python311,
    instructions: merged([common, common311, [26: .slicedItem, 121: .returnConstant]]),
    caches: [25: 1, 106: 9, 116: 4, 122: 1, 171: 3], flagsGlobals: true, flagsAttributes: true)

  static let python313 = PythonDialect(
    layout: .python311,
    instructions: [
      4: .slicedItem, 5: .item, 30: .nothing, 32: .discard, 34: .pushNull, 36: .returnValue,
      42: .negate, 45: .numberedBinary, 47: .tuple, 50: .slice, 52: .tuple, 53: .callBoth,
      57: .callBothNamed, 62: .nothing, 71: .extendedArgument, 74: .importName, 75: .importModule,
      81: .extendTuple, 82: .attribute, 83: .constant, 84: .shared, 85: .local, 88: .twoLocals,
      91: .global, 103: .returnConstant, 110: .storeLocal, 149: .nothing,
    ], caches: [5: 1, 45: 1, 53: 3, 82: 9, 91: 4], flagsGlobals: true, flagsAttributes: true)

  /// The operators numbered by `numberedBinary`; the in-place variants are 13 higher.
  static let numberedSigns = [
    "+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^",
  ]

  /// Whether functions with a layout can be of these versions.
  func reads(_ layout: PythonCode.Layout) -> Bool {
    layout == self.layout || (layout == .python38 && self.layout == .python3)
  }

  private static func merged(_ tables: [[UInt8: Instruction]]) -> [UInt8: Instruction] {
    tables.reduce(into: [:]) { $0.merge($1) { _, later in later } }
  }
}
