extension PythonCode {
  /// The expression that the function computes, if every instruction is understood and all versions
  /// of Python that may have written it agree on the meaning.
  package var expression: PythonExpression? {
    var candidates: Set<PythonExpression> = []
    for dialect in PythonDialect.all where dialect.supports(layout) {
      var interpreter = SymbolicInterpreter(code: self, dialect: dialect)
      if let expression = interpreter.result() { candidates.insert(expression) }
    }
    return candidates.count == 1 ? candidates.first : nil
  }
}

/// An interpreter of the instructions that computes expressions instead of values.
private struct SymbolicInterpreter {
  /// An expression and its number of nodes; `nil` represents the NULL that Python pushes next to a
  /// function.
  private typealias Entry = (expression: PythonExpression?, size: Int)

  /// Limits that simple functions do not exceed.
  private static let instructionLimit = 300
  private static let sizeLimit = 2000

  let code: PythonCode
  let dialect: PythonDialect
  private var position = 0
  private var stack: [Entry] = []
  private var locals: [Int: Entry] = [:]
  private var keywordNames: [String] = []

  init(code: PythonCode, dialect: PythonDialect) {
    self.code = code
    self.dialect = dialect
    for index in 0..<code.argumentCount { locals[index] = (.argument(index), 1) }
  }

  /// The function's value, if all of its bytes are understood.
  mutating func result() -> PythonExpression? {
    var argument = 0
    for _ in 0..<Self.instructionLimit {
      guard let (opcode, operand) = next(), let instruction = dialect.instructions[opcode] else {
        return nil
      }
      argument = argument << 8 | operand
      guard argument < 1 << 24 else { return nil }
      switch instruction {
      case .extendedArgument: continue
      case .returnValue, .returnConstant:
        if instruction == .returnConstant, !push(constant(argument)) { return nil }
        guard position == code.instructions.count, stack.count == 1 else { return nil }
        return stack[0].expression
      default:
        guard run(instruction, argument), skipCaches(of: opcode) else { return nil }
      }
      argument = 0
    }
    return nil
  }

  /// The next opcode and its argument, which is 0 if it has none.
  private mutating func next() -> (UInt8, Int)? {
    let bytes = code.instructions
    guard position < bytes.count else { return nil }
    let opcode = bytes[position]
    let size = dialect.firstOpcodeWithArgument.map { opcode >= $0 ? 3 : 1 } ?? 2
    guard size <= bytes.count - position else { return nil }
    defer { position += size }
    switch size {
    case 1: return (opcode, 0)
    case 2: return (opcode, Int(bytes[position + 1]))
    default: return (opcode, Int(bytes[position + 1]) | Int(bytes[position + 2]) << 8)
    }
  }

  private mutating func skipCaches(of opcode: UInt8) -> Bool {
    let size = 2 * (dialect.cacheSizes[opcode] ?? 0)
    let bytes = code.instructions
    guard size <= bytes.count - position,
      bytes[position..<position + size].allSatisfy({ $0 == 0 })
    else { return false }
    position += size
    return true
  }

  private mutating func run(_ instruction: PythonDialect.Instruction, _ argument: Int) -> Bool {
    switch instruction {
    case .noOperation: return true
    case .popTop: return stack.popLast() != nil
    case .pushNull:
      stack.append((nil, 0))
      return true
    case .negate: return combine(1) { .negated($0[0]) }
    case .binary(let symbol): return combine(2) { .binary(symbol, $0[0], $0[1]) }
    case .numberedBinary:
      let symbols = PythonDialect.numberedOperators
      guard argument < 2 * symbols.count else { return false }
      return combine(2) { .binary(symbols[argument % symbols.count], $0[0], $0[1]) }
    case .item: return combine(2) { .item($0[0], $0[1]) }
    case .slicedItem: return combine(3) { .item($0[0], .slice([$0[1], $0[2]])) }
    case .python2SlicedItem(let hasLower, let hasUpper):
      return slicedItem(hasLower: hasLower, hasUpper: hasUpper)
    case .slice: return (2...3).contains(argument) && combine(argument) { .slice($0) }
    case .tuple: return combine(argument) { .tuple($0) }
    case .extendTuple: return argument == 1 && extendTuple()
    case .local: return pushLocal(argument)
    case .twoLocals: return pushLocal(argument >> 4) && pushLocal(argument & 15)
    case .storeLocal:
      locals[argument] = stack.popLast()
      return locals[argument]?.expression != nil
    case .constant: return push(constant(argument))
    case .global: return pushGlobal(argument)
    case .dereference:
      let names = code.layout == .python311 ? code.variables : code.cellNames
      return names.indices.contains(argument) && push(.name(names[argument]))
    case .attribute: return pushAttribute(argument)
    case .method: return addAttribute(argument, isMethod: true)
    case .importModule: return importModule(argument)
    case .importName: return importName(argument)
    case .python2Call, .call, .callKeywords, .callMethod, .python311Call, .python313CallKeywords:
      return call(instruction, argument)
    case .keywordNames:
      keywordNames = constant(argument)?.names ?? []
      return !keywordNames.isEmpty
    case .returnValue, .returnConstant, .extendedArgument: return false
    }
  }

  private func constant(_ index: Int) -> PythonExpression? {
    code.constants.indices.contains(index) ? .value(code.constants[index]) : nil
  }

  private func name(_ index: Int) -> String? {
    code.names.indices.contains(index) ? code.names[index] : nil
  }

  private mutating func push(_ expression: PythonExpression?, size: Int = 1) -> Bool {
    guard let expression, size <= Self.sizeLimit else { return false }
    stack.append((expression, size))
    return true
  }

  /// Pops entries from the stack, none of which may be NULL.
  private mutating func pop(_ count: Int) -> (values: [PythonExpression], size: Int)? {
    guard count <= stack.count else { return nil }
    let entries = stack.suffix(count)
    let values = entries.compactMap(\.expression)
    guard values.count == count else { return nil }
    let size = entries.reduce(0) { $0 + $1.size }
    stack.removeLast(count)
    return (values, size)
  }

  private mutating func combine(
    _ count: Int, _ transform: ([PythonExpression]) -> PythonExpression
  ) -> Bool {
    guard let (values, size) = pop(count) else { return false }
    return push(transform(values), size: size + 1)
  }

  private mutating func slicedItem(hasLower: Bool, hasUpper: Bool) -> Bool {
    let count = 1 + (hasLower ? 1 : 0) + (hasUpper ? 1 : 0)
    return combine(count) {
      let bounds = [hasLower ? $0[1] : .value(.none), hasUpper ? $0[count - 1] : .value(.none)]
      return .item($0[0], .slice(bounds))
    }
  }

  private mutating func extendTuple() -> Bool {
    guard let (values, size) = pop(2), case .tuple(let first) = values[0],
      case .value(.tuple(let more)) = values[1]
    else { return false }
    return push(.tuple(first + more.map { .value($0) }), size: size + more.count)
  }

  private mutating func pushLocal(_ index: Int) -> Bool {
    guard let (expression, size) = locals[index] else { return false }
    return push(expression, size: size)
  }

  /// In Python 3.11 and 3.12 a NULL for a call comes before the function, in 3.13 after it.
  private mutating func pushGlobal(_ argument: Int) -> Bool {
    let hasNull = dialect.hasFlaggedGlobals && argument & 1 == 1
    if hasNull { stack.append((nil, 0)) }
    return push(name(dialect.hasFlaggedGlobals ? argument >> 1 : argument).map { .name($0) })
  }

  private mutating func pushAttribute(_ argument: Int) -> Bool {
    guard dialect.hasFlaggedAttributes else { return addAttribute(argument, isMethod: false) }
    return addAttribute(argument >> 1, isMethod: argument & 1 == 1)
  }

  private mutating func addAttribute(_ index: Int, isMethod: Bool) -> Bool {
    guard let name = name(index), let (values, size) = pop(1) else { return false }
    if isMethod { stack.append((nil, 0)) }
    return push(.attribute(values[0], name), size: size + 1)
  }

  /// `import a.b` yields `a`, and `from a.b import c` yields `a.b`.
  private mutating func importModule(_ index: Int) -> Bool {
    guard let name = name(index), let (values, _) = pop(2) else { return false }
    let isWhole = values[1] == .value(.none)
    return push(.name(isWhole ? String(name.prefix { $0 != "." }) : name))
  }

  private mutating func importName(_ index: Int) -> Bool {
    guard let name = name(index), let module = stack.last?.expression else { return false }
    return push(.attribute(module, name), size: 2)
  }

  private mutating func call(
    _ instruction: PythonDialect.Instruction, _ argument: Int
  ) -> Bool {
    var names = keywordNames
    keywordNames = []
    var named: [String: PythonExpression] = [:]
    var count = argument
    var size = 0
    if instruction == .callKeywords || instruction == .python313CallKeywords {
      guard let top = pop(1), let tuple = top.values[0].names else { return false }
      names = tuple
    } else if instruction == .python2Call {
      guard let pairs = pop(2 * (argument >> 8)) else { return false }
      for index in stride(from: 0, to: pairs.values.count, by: 2) {
        guard case .value(let value) = pairs.values[index],
          let name = value.name
        else { return false }
        named[name] = pairs.values[index + 1]
      }
      (count, size) = (argument & 0xFF, pairs.size)
    }
    guard let arguments = pop(count), names.count <= count,
      let function = popFunction(instruction)
    else { return false }
    for (name, value) in zip(names, arguments.values.suffix(names.count)) { named[name] = value }
    let positional = Array(arguments.values.dropLast(names.count))
    return push(
      .call(function.expression, positional, named: named),
      size: size + arguments.size + function.size + 1)
  }

  /// Pops the called function and the NULL next to it where Python reserves a slot for `self`.
  private mutating func popFunction(
    _ instruction: PythonDialect.Instruction
  ) -> (expression: PythonExpression, size: Int)? {
    let hasNull = ![.python2Call, .call, .callKeywords].contains(instruction)
    var entries: [Entry] = []
    for _ in 0..<(hasNull ? 2 : 1) {
      guard let entry = stack.popLast() else { return nil }
      entries.append(entry)
    }
    let functions = entries.filter { $0.expression != nil }
    guard functions.count == 1, let expression = functions[0].expression else { return nil }
    return (expression, functions[0].size)
  }
}

extension PythonExpression {
  /// The names of a constant tuple.
  fileprivate var names: [String]? { if case .value(let value) = self { value.names } else { nil } }
}
