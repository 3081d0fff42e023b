/// The instructions of some versions of Python that simple functions use.
///
/// The opcodes are those of `opcode.opmap` in each version.
struct PythonDialect: Sendable {
  enum Instruction: Hashable, Sendable {
    case noOperation, popTop, pushNull, negate
    case binary(String)
    /// A binary operation, whose operator is given by the argument.
    case numberedBinary
    case item
    /// `x[a:b]` in one instruction; in Python 2, the instruction determines which bounds are given.
    case slicedItem, python2SlicedItem(hasLower: Bool, hasUpper: Bool)
    case slice, tuple, extendTuple
    case returnValue, returnConstant
    case storeLocal, local, twoLocals, constant, global, dereference, attribute, method
    case importModule, importName
    /// A call; in Python 2, the high byte of the argument is the number of keyword arguments.
    case python2Call, call, callKeywords, callMethod, python311Call, python313CallKeywords
    /// The keyword names of the next call.
    case keywordNames
    case extendedArgument
  }

  /// The layout of functions in these versions.
  let layout: PythonCode.Layout
  /// The instructions by opcode.
  let instructions: [UInt8: Instruction]
  /// The lowest opcode with an argument of two bytes; instructions with lower ones have a single
  /// byte. `nil` where each instruction has two bytes.
  var firstOpcodeWithArgument: UInt8?
  /// The number of 2-byte units reserved after some instructions for inline caches, by opcode.
  var cacheSizes: [UInt8: Int] = [:]
  /// Whether the lowest bit of the argument is a flag and the others are the index of the name: for
  /// global names (3.11), and for attributes (3.12).
  var hasFlaggedGlobals = false
  var hasFlaggedAttributes = false

  /// All known dialects.
  static let all = [python27, python36, python311, python312, python313]

  private static let operators: [UInt8: Instruction] = [
    11: .negate, 19: .binary("**"), 20: .binary("*"), 23: .binary("+"), 24: .binary("-"),
    25: .item, 26: .binary("//"), 27: .binary("/"),
  ]

  /// The instructions with the same opcodes in Python 2.7 to 3.12.
  private static let common: [UInt8: Instruction] = [
    1: .popTop, 83: .returnValue, 100: .constant, 102: .tuple, 103: .tuple, 106: .attribute,
    108: .importModule, 109: .importName, 116: .global, 124: .local, 125: .storeLocal, 133: .slice,
  ]

  static let python27 = PythonDialect(
    layout: .python2,
    instructions: merged([
      common, operators,
      [
        21: .binary("/"), 30: .python2SlicedItem(hasLower: false, hasUpper: false),
        31: .python2SlicedItem(hasLower: true, hasUpper: false),
        32: .python2SlicedItem(hasLower: false, hasUpper: true),
        33: .python2SlicedItem(hasLower: true, hasUpper: true), 131: .python2Call,
        136: .dereference,
      ],
    ]), firstOpcodeWithArgument: 90)

  /// Python 3.6 to 3.10, whose instructions for simple functions have the same opcodes.
  static let python36 = PythonDialect(
    layout: .python3,
    instructions: merged([
      common, operators,
      [
        131: .call, 136: .dereference, 141: .callKeywords, 144: .extendedArgument, 160: .method,
        161: .callMethod, 162: .extendTuple,
      ],
    ]))

  /// The instructions with the same opcodes in Python 3.11 and 3.12.
  private static let common311: [UInt8: Instruction] = [
    2: .pushNull, 9: .noOperation, 11: .negate, 25: .item, 122: .numberedBinary,
    137: .dereference, 144: .extendedArgument, 149: .noOperation, 151: .noOperation,
    162: .extendTuple, 171: .python311Call, 172: .keywordNames,
  ]

  static let python311 = PythonDialect(
    layout: .python311,
    instructions: merged([common, common311, [160: .method, 166: .noOperation]]),
    cacheSizes: [25: 4, 106: 4, 116: 5, 122: 1, 160: 10, 166: 1, 171: 4],
    hasFlaggedGlobals: true)

  static let python312 = PythonDialect(
    layout: .python311,
    instructions: merged([common, common311, [26: .slicedItem, 121: .returnConstant]]),
    cacheSizes: [25: 1, 106: 9, 116: 4, 122: 1, 171: 3], hasFlaggedGlobals: true,
    hasFlaggedAttributes: true)

  static let python313 = PythonDialect(
    layout: .python311,
    instructions: [
      4: .slicedItem, 5: .item, 30: .noOperation, 32: .popTop, 34: .pushNull, 36: .returnValue,
      42: .negate, 45: .numberedBinary, 47: .tuple, 50: .slice, 52: .tuple, 53: .python311Call,
      57: .python313CallKeywords, 62: .noOperation, 71: .extendedArgument, 74: .importName,
      75: .importModule, 81: .extendTuple, 82: .attribute, 83: .constant, 84: .dereference,
      85: .local, 88: .twoLocals, 91: .global, 103: .returnConstant, 110: .storeLocal,
      149: .noOperation,
    ], cacheSizes: [5: 1, 45: 1, 53: 3, 82: 9, 91: 4], hasFlaggedGlobals: true,
    hasFlaggedAttributes: true)

  /// The operators by the argument of `numberedBinary`; the in-place variants are 13 higher.
  static let numberedOperators = [
    "+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^",
  ]

  /// Whether functions with a layout can be of these versions.
  func supports(_ layout: PythonCode.Layout) -> Bool {
    layout == self.layout || (layout == .python38 && self.layout == .python3)
  }

  private static func merged(_ tables: [[UInt8: Instruction]]) -> [UInt8: Instruction] {
    tables.reduce(into: [:]) { $0.merge($1) { _, later in later } }
  }
}
