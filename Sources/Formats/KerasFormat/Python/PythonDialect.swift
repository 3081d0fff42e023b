/// The instructions of some versions of Python that simple functions use.
///
/// The opcodes are those of `opcode.opmap` in each version.
struct PythonDialect: Sendable {
  enum Instruction: Hashable, Sendable {
    case noOperation, popTop, pushNull, negate
    /// Exchanges the top of the stack with the entry at a distance: 2 is the one below it.
    case swap(Int), numberedSwap
    /// Moves the top of the stack below the given number of entries.
    case rotate(Int)
    /// Copies the entry at a distance: 1 is the top of the stack.
    case copy(Int), numberedCopy
    case binary(String)
    /// A comparison, whose operator is given by the argument without its lowest bits.
    case comparison(shift: Int)
    /// A binary operation, whose operator is given by the argument.
    case numberedBinary
    case item
    /// `x[a:b]` in one instruction; in Python 2, the instruction determines which bounds are given.
    case slicedItem, python2SlicedItem(hasLower: Bool, hasUpper: Bool)
    case slice, tuple, extendTuple
    case returnValue, returnConstant
    case unpack
    case storeLocal, storeLocalThenLocal, storeTwoLocals, local, twoLocals, constant, global,
      dereference, attribute, method
    case importModule, importName
    /// A call; in Python 2, the high byte of the argument is the number of keyword arguments.
    case python2Call, call, callKeywords, callMethod, python311Call, python313CallKeywords
    /// The keyword names of the next call.
    case keywordNames
    case extendedArgument
    /// An instruction that is known and not supported: what it is.
    case refused(String)
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
  static let all = [python27, python34, python36, python311, python312, python313]

  /// The instructions with the same opcodes in Python 2.7 to 3.10.
  private static let operators: [UInt8: Instruction] = [
    2: .swap(2), 3: .rotate(3), 4: .copy(1), 11: .negate, 19: .binary("**"), 20: .binary("*"),
    22: .binary("%"), 23: .binary("+"), 24: .binary("-"), 25: .item, 26: .binary("//"),
    27: .binary("/"), 28: .binary("//"), 29: .binary("/"), 55: .binary("+"), 56: .binary("-"),
    57: .binary("*"), 59: .binary("%"), 64: .binary("&"), 65: .binary("^"), 66: .binary("|"),
    67: .binary("**"), 92: .unpack, 107: .comparison(shift: 0),
  ]

  /// The instructions with the same opcodes in Python 2.7 to 3.12.
  private static let common: [UInt8: Instruction] = [
    1: .popTop, 83: .returnValue, 100: .constant, 102: .tuple, 103: .tuple, 106: .attribute,
    108: .importModule, 109: .importName, 116: .global, 124: .local, 125: .storeLocal, 133: .slice,
    12: condition, 60: assignment, 68: loop, 93: loop, 95: assignment, 97: assignment,
    104: dictionary, 105: dictionary, 110: condition, 111: condition, 112: condition,
    114: condition, 115: condition, 130: .refused("an exception"), 132: innerFunction,
    142: argumentList,
  ]

  private static let condition = Instruction.refused("a condition")
  private static let loop = Instruction.refused("a loop")
  private static let assignment = Instruction.refused(
    "an assignment to something else than a variable of its own")
  private static let dictionary = Instruction.refused("a dictionary or a set")
  private static let innerFunction = Instruction.refused("a function or a loop inside it")
  private static let argumentList = Instruction.refused("a call with a list of arguments")
  private static let sharedVariable = Instruction.refused(
    "a variable that it shares with a function inside it")

  static let python27 = PythonDialect(
    layout: .python2,
    instructions: merged([
      common, operators,
      [
        21: .binary(PythonExpression.classicDivision),
        58: .binary(PythonExpression.classicDivision),
        30: .python2SlicedItem(hasLower: false, hasUpper: false),
        31: .python2SlicedItem(hasLower: true, hasUpper: false),
        32: .python2SlicedItem(hasLower: false, hasUpper: true),
        33: .python2SlicedItem(hasLower: true, hasUpper: true), 113: loop, 120: loop,
        131: .python2Call, 135: sharedVariable, 136: .dereference, 137: sharedVariable,
        140: argumentList, 141: argumentList,
      ],
    ]), firstOpcodeWithArgument: 90)

  /// Python 3.4 and 3.5, whose instructions have the sizes of Python 2.
  static let python34 = PythonDialect(
    layout: .python3,
    instructions: merged([
      common, operators,
      [
        16: .binary("@"), 17: .binary("@"), 113: loop, 120: loop, 131: .python2Call,
        135: sharedVariable, 136: .dereference, 137: sharedVariable, 140: argumentList,
        141: argumentList,
      ],
    ]), firstOpcodeWithArgument: 90)

  /// Python 3.6 to 3.10, whose instructions for simple functions have the same opcodes.
  static let python36 = PythonDialect(
    layout: .python3,
    instructions: merged([
      common, operators,
      [
        16: .binary("@"), 17: .binary("@"), 113: loop, 117: condition, 120: loop, 131: .call,
        135: sharedVariable, 136: .dereference, 137: sharedVariable, 141: .callKeywords,
        144: .extendedArgument, 156: dictionary, 160: .method, 161: .callMethod,
        162: .extendTuple,
      ],
    ]))

  /// The instructions with the same opcodes in Python 3.11 and 3.12.
  private static let common311: [UInt8: Instruction] = [
    2: .pushNull, 9: .noOperation, 11: .negate, 25: .item, 92: .unpack, 99: .numberedSwap,
    117: condition, 120: .numberedCopy, 122: .numberedBinary, 128: condition, 129: condition,
    135: sharedVariable, 137: .dereference, 138: sharedVariable, 140: loop, 144: .extendedArgument,
    149: .noOperation, 151: .noOperation, 156: dictionary, 162: .extendTuple,
    171: .python311Call, 172: .keywordNames,
  ]

  static let python311 = PythonDialect(
    layout: .python311,
    instructions: merged([
      common, common311,
      [107: .comparison(shift: 0), 160: .method, 166: .noOperation, 173: loop, 174: loop],
    ]),
    cacheSizes: [25: 4, 92: 1, 106: 4, 107: 2, 116: 5, 122: 1, 160: 10, 166: 1, 171: 4],
    hasFlaggedGlobals: true)

  static let python312 = PythonDialect(
    layout: .python311,
    instructions: merged([
      common, common311,
      [
        26: .slicedItem, 107: .comparison(shift: 4), 121: .returnConstant, 127: .local,
        143: sharedVariable,
      ],
    ]),
    cacheSizes: [25: 1, 92: 1, 106: 9, 107: 1, 116: 4, 122: 1, 171: 3], hasFlaggedGlobals: true,
    hasFlaggedAttributes: true)

  static let python313 = PythonDialect(
    layout: .python311,
    instructions: [
      4: .slicedItem, 5: .item, 19: loop, 26: innerFunction, 30: .noOperation, 32: .popTop,
      34: .pushNull, 36: .returnValue, 39: assignment, 40: condition, 42: .negate, 43: condition,
      45: .numberedBinary, 46: dictionary, 47: .tuple, 48: dictionary, 49: dictionary, 50: .slice,
      52: .tuple, 53: .python311Call, 54: argumentList, 57: .python313CallKeywords,
      58: .comparison(shift: 5), 61: .numberedCopy, 62: .noOperation, 71: .extendedArgument,
      72: loop, 74: .importName, 75: .importModule, 76: condition, 77: loop, 79: condition,
      81: .extendTuple, 82: .attribute, 83: .constant, 84: .dereference, 85: .local, 87: .local,
      88: .twoLocals, 91: .global, 94: sharedVariable, 97: condition, 98: condition,
      99: condition, 100: condition, 101: .refused("an exception"), 103: .returnConstant,
      108: assignment, 109: sharedVariable, 110: .storeLocal, 111: .storeLocalThenLocal,
      112: .storeTwoLocals, 113: assignment, 115: .numberedSwap, 117: .unpack, 149: .noOperation,
    ], cacheSizes: [5: 1, 45: 1, 53: 3, 58: 1, 82: 9, 91: 4, 117: 1], hasFlaggedGlobals: true,
    hasFlaggedAttributes: true)

  /// The operators by the argument of `numberedBinary`; the in-place variants are 13 higher.
  static let numberedOperators = [
    "+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^",
  ]

  /// The comparisons by the argument of ``Instruction/comparison(shift:)``.
  static let comparisons = ["<", "<=", "==", "!=", ">", ">="]

  /// Whether functions with a layout can be of these versions.
  func supports(_ layout: PythonCode.Layout) -> Bool {
    layout == self.layout
      || (layout == .python38 && self.layout == .python3 && firstOpcodeWithArgument == nil)
  }

  private static func merged(_ tables: [[UInt8: Instruction]]) -> [UInt8: Instruction] {
    tables.reduce(into: [:]) { $0.merge($1) { _, later in later } }
  }
}
