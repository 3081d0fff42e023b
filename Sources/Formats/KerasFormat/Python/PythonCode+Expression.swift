extension PythonCode {
  /// The expression that the function computes; `nil` where ``reading()`` gives a reason.
  package var expression: PythonExpression? { try? reading() }

  /// Returns the expression that the function computes, if every instruction is understood and all
  /// versions of Python that may have written it agree on the meaning.
  package func reading() throws(PythonRefusal) -> PythonExpression {
    var candidates: Set<PythonExpression> = []
    var furthest = (position: -1, refusal: PythonRefusal("is of an unknown version of Python"))
    for dialect in PythonDialect.all where dialect.supports(layout) {
      var interpreter = SymbolicInterpreter(code: self, dialect: dialect)
      do throws(PythonRefusal) { candidates.insert(try interpreter.result()) } catch {
        if interpreter.position > furthest.position { furthest = (interpreter.position, error) }
      }
    }
    guard let expression = candidates.first else { throw furthest.refusal }
    guard candidates.count == 1 else {
      throw PythonRefusal("means different things in different versions of Python")
    }
    return expression
  }
}

/// The reason why a compiled function is not understood, as a clause whose subject is the function.
package struct PythonRefusal: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// An interpreter of the instructions of straight-line code that computes expressions instead of
/// values.
struct SymbolicInterpreter {
  /// An expression and its number of nodes; `nil` represents the NULL that Python pushes next to a
  /// function.
  typealias Entry = (expression: PythonExpression?, size: Int)

  /// Limits that simple functions do not exceed.
  private static let instructionLimit = 500
  static let sizeLimit = 2000

  let code: PythonCode
  let dialect: PythonDialect
  /// The position of the next instruction.
  private(set) var position = 0
  var stack: [Entry] = []
  private var locals: [Int: Entry] = [:]
  var keywordNames: [String] = []

  init(code: PythonCode, dialect: PythonDialect) {
    self.code = code
    self.dialect = dialect
    for index in 0..<code.argumentCount { locals[index] = (.argument(index), 1) }
  }

  /// The function's value, if all of its bytes are understood.
  mutating func result() throws(PythonRefusal) -> PythonExpression {
    var argument = 0
    for _ in 0..<Self.instructionLimit {
      let (opcode, operand) = try next()
      guard let instruction = dialect.instructions[opcode] else {
        throw PythonRefusal("has an instruction of Python, \(opcode), that is not known here")
      }
      argument = argument << 8 | operand
      guard argument < 1 << 24 else { throw Self.damaged }
      switch instruction {
      case .extendedArgument: continue
      case .returnValue, .returnConstant:
        if instruction == .returnConstant { try push(try constant(argument)) }
        let values = try pop(1).values
        guard position == code.instructions.count else {
          throw PythonRefusal("has a condition or a second end")
        }
        guard stack.isEmpty else { throw Self.damaged }
        return values[0]
      default:
        try run(instruction, argument)
        try skipCaches(of: opcode)
      }
      argument = 0
    }
    throw PythonRefusal("has more than \(Self.instructionLimit) instructions")
  }

  static let damaged = PythonRefusal("has instructions that no version of Python writes")

  /// The next opcode and its argument, which is 0 if it has none.
  private mutating func next() throws(PythonRefusal) -> (UInt8, Int) {
    let bytes = code.instructions
    guard position < bytes.count else { throw Self.damaged }
    let opcode = bytes[position]
    let size = dialect.firstOpcodeWithArgument.map { opcode >= $0 ? 3 : 1 } ?? 2
    guard size <= bytes.count - position else { throw Self.damaged }
    defer { position += size }
    switch size {
    case 1: return (opcode, 0)
    case 2: return (opcode, Int(bytes[position + 1]))
    default: return (opcode, Int(bytes[position + 1]) | Int(bytes[position + 2]) << 8)
    }
  }

  private mutating func skipCaches(of opcode: UInt8) throws(PythonRefusal) {
    let size = 2 * (dialect.cacheSizes[opcode] ?? 0)
    let bytes = code.instructions
    guard size <= bytes.count - position,
      bytes[position..<position + size].allSatisfy({ $0 == 0 })
    else { throw Self.damaged }
    position += size
  }

  private mutating func run(
    _ instruction: PythonDialect.Instruction, _ argument: Int
  ) throws(PythonRefusal) {
    switch instruction {
    case .noOperation: break
    case .refused(let what): throw PythonRefusal("has \(what)")
    case .popTop: try discard()
    case .pushNull: stack.append((nil, 0))
    case .swap(let distance): try swap(distance)
    case .numberedSwap: try swap(argument)
    case .rotate(let count): try rotate(count)
    case .copy(let distance): try copy(distance)
    case .numberedCopy: try copy(argument)
    case .negate: try combine(1) { .negated($0[0]) }
    case .binary, .numberedBinary, .comparison: try combineBinary(instruction, argument)
    case .item: try combine(2) { .item($0[0], $0[1]) }
    case .slicedItem: try combine(3) { .item($0[0], .slice([$0[1], $0[2]])) }
    case .python2SlicedItem(let hasLower, let hasUpper):
      try slicedItem(hasLower: hasLower, hasUpper: hasUpper)
    case .slice:
      guard (2...3).contains(argument) else { throw Self.damaged }
      try combine(argument) { .slice($0) }
    case .tuple: try combine(argument) { .tuple($0) }
    case .extendTuple: try extendTuple(argument)
    case .unpack: try unpack(argument)
    case .local: try pushLocal(argument)
    case .twoLocals:
      try pushLocal(argument >> 4)
      try pushLocal(argument & 15)
    case .storeLocal: try storeLocal(argument)
    case .storeLocalThenLocal:
      try storeLocal(argument >> 4)
      try pushLocal(argument & 15)
    case .storeTwoLocals:
      try storeLocal(argument >> 4)
      try storeLocal(argument & 15)
    case .constant: try push(try constant(argument))
    case .global: try pushGlobal(argument)
    case .dereference: try pushCaptured(argument)
    case .attribute: try pushAttribute(argument)
    case .method: try addAttribute(argument, isMethod: true)
    case .importModule: try importModule(argument)
    case .importName: try importName(argument)
    case .python2Call, .call, .callKeywords, .callMethod, .python311Call, .python313CallKeywords:
      try call(instruction, argument)
    case .keywordNames: keywordNames = try names(try constant(argument))
    case .returnValue, .returnConstant, .extendedArgument: throw Self.damaged
    }
  }

  private func constant(_ index: Int) throws(PythonRefusal) -> PythonExpression {
    guard code.constants.indices.contains(index) else { throw Self.damaged }
    return .value(code.constants[index])
  }

  func name(_ index: Int) throws(PythonRefusal) -> String {
    guard code.names.indices.contains(index) else { throw Self.damaged }
    return code.names[index]
  }

  /// The names in a constant tuple.
  func names(_ expression: PythonExpression) throws(PythonRefusal) -> [String] {
    guard case .value(let value) = expression, let names = value.names, !names.isEmpty else {
      throw Self.damaged
    }
    return names
  }

  mutating func push(
    _ expression: PythonExpression, size: Int = 1
  ) throws(PythonRefusal) {
    guard size <= Self.sizeLimit else {
      throw PythonRefusal("computes an expression of more than \(Self.sizeLimit) parts")
    }
    stack.append((expression, size))
  }

  /// Pops entries from the stack, none of which may be NULL.
  mutating func pop(
    _ count: Int
  ) throws(PythonRefusal) -> (values: [PythonExpression], size: Int) {
    guard count <= stack.count else { throw Self.damaged }
    let entries = stack.suffix(count)
    let values = entries.compactMap(\.expression)
    guard values.count == count else { throw Self.damaged }
    let size = entries.reduce(0) { $0 + $1.size }
    stack.removeLast(count)
    return (values, size)
  }

  private mutating func combine(
    _ count: Int, _ transform: ([PythonExpression]) -> PythonExpression
  ) throws(PythonRefusal) {
    let (values, size) = try pop(count)
    try push(transform(values), size: size + 1)
  }

  private mutating func combineBinary(
    _ instruction: PythonDialect.Instruction, _ argument: Int
  ) throws(PythonRefusal) {
    let symbol: String
    switch instruction {
    case .binary(let written): symbol = written
    case .comparison(let shift):
      // A higher number is that of `in` or `is` in Python before 3.9.
      guard argument >> shift < PythonDialect.comparisons.count else {
        throw PythonRefusal("has a condition")
      }
      symbol = PythonDialect.comparisons[argument >> shift]
    default:
      let symbols = PythonDialect.numberedOperators
      guard argument < 2 * symbols.count else { throw Self.damaged }
      symbol = symbols[argument % symbols.count]
    }
    try combine(2) { .binary(symbol, $0[0], $0[1]) }
  }

  /// Removes the value of a statement, which must not have changed anything.
  private mutating func discard() throws(PythonRefusal) {
    guard let entry = stack.popLast() else { throw Self.damaged }
    guard case .call(let function, _, _) = entry.expression else { return }
    let isHarmless =
      if case .attribute(_, "set_shape") = function { true } else { function.path == "print" }
    guard isHarmless else {
      let method = if case .attribute(_, let name) = function { name } else { "a function" }
      let name = PythonValue.printable(function.path ?? method)
      throw PythonRefusal("calls \(name) and does not use what that returns")
    }
  }

  private mutating func storeLocal(_ index: Int) throws(PythonRefusal) {
    guard let entry = stack.popLast(), entry.expression != nil else { throw Self.damaged }
    locals[index] = entry
  }

  private mutating func pushLocal(_ index: Int) throws(PythonRefusal) {
    guard let (expression, size) = locals[index], let expression else {
      let variables = code.variables
      let name = variables.indices.contains(index) ? PythonValue.printable(variables[index]) : "?"
      throw PythonRefusal("uses its variable \(name), which gets no value that the file has")
    }
    try push(expression, size: size)
  }
}
