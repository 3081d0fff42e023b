extension PythonCode {
  /// The expression that the function computes, if every instruction is understood and all versions
  /// of Python that may have written it agree on the meaning.
  package var expression: PythonExpression? {
    var found: Set<PythonExpression> = []
    for dialect in PythonDialect.all where dialect.reads(layout) {
      var reading = PythonReading(code: self, dialect: dialect)
      if let expression = reading.result() { found.insert(expression) }
    }
    return found.count == 1 ? found.first : nil
  }
}

/// An interpreter of the instructions with expressions in place of values.
private struct PythonReading {
  /// An expression and the number of its parts; `nil` represents Python's NULL next to a function.
  private typealias Entry = (expression: PythonExpression?, size: Int)

  /// More than simple functions contain.
  private static let instructionLimit = 300
  private static let sizeLimit = 2000

  let code: PythonCode
  let dialect: PythonDialect
  private var position = 0
  private var stack: [Entry] = []
  private var locals: [Int: Entry] = [:]
  private var argumentNames: [String] = []

  init(code: PythonCode, dialect: PythonDialect) {
    self.code = code
    self.dialect = dialect
    for index in 0..<code.argumentCount { locals[index] = (.argument(index), 1) }
  }

  /// The function's value, if all of its bytes are understood.
  mutating func result() -> PythonExpression? {
    var argument = 0
    for _ in 0..<Self.instructionLimit {
      guard let (number, own) = next(), let instruction = dialect.instructions[number] else {
        return nil
      }
      argument = argument << 8 | own
      guard argument < 1 << 24 else { return nil }
      switch instruction {
      case .extendedArgument: continue
      case .returnValue, .returnConstant:
        if instruction == .returnConstant, !push(constant(argument)) { return nil }
        guard position == code.instructions.count, stack.count == 1 else { return nil }
        return stack[0].expression
      default:
        guard run(instruction, argument), skipCaches(of: number) else { return nil }
      }
      argument = 0
    }
    return nil
  }

  /// The next instruction and its argument, which is 0 if there is none.
  private mutating func next() -> (UInt8, Int)? {
    let bytes = code.instructions
    guard position < bytes.count else { return nil }
    let number = bytes[position]
    let size = dialect.firstWithArgument.map { number >= $0 ? 3 : 1 } ?? 2
    guard size <= bytes.count - position else { return nil }
    defer { position += size }
    switch size {
    case 1: return (number, 0)
    case 2: return (number, Int(bytes[position + 1]))
    default: return (number, Int(bytes[position + 1]) | Int(bytes[position + 2]) << 8)
    }
  }

  private mutating func skipCaches(of number: UInt8) -> Bool {
    let size = 2 * (dialect.caches[number] ?? 0)
    let bytes = code.instructions
    guard size <= bytes.count - position,
      bytes[position..<position + size].allSatisfy({ $0 == 0 })
    else { return false }
    position += size
    return true
  }

  private mutating func run(_ instruction: PythonDialect.Instruction, _ argument: Int) -> Bool {
    switch instruction {
    case .nothing: return true
    case .discard: return stack.popLast() != nil
    case .pushNull:
      stack.append((nil, 0))
      return true
    case .negate: return combine(1) { .negated($0[0]) }
    case .binary(let sign): return combine(2) { .binary(sign, $0[0], $0[1]) }
    case .numberedBinary:
      let signs = PythonDialect.numberedSigns
      guard argument < 2 * signs.count else { return false }
      return combine(2) { .binary(signs[argument % signs.count], $0[0], $0[1]) }
    case .item: return combine(2) { .item($0[0], $0[1]) }
    case .slicedItem: return combine(3) { .item($0[0], .slice([$0[1], $0[2]])) }
    case .slicedItem2(let lower, let upper): return slicedItem(lower: lower, upper: upper)
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
    case .shared:
      let names = code.layout == .python311 ? code.variables : code.cellNames
      return names.indices.contains(argument) && push(.name(names[argument]))
    case .attribute: return pushAttribute(argument)
    case .method: return addAttribute(argument, isMethod: true)
    case .importModule: return importModule(argument)
    case .importName: return importName(argument)
    case .call2, .call, .callNamed, .callMethod, .callBoth, .callBothNamed:
      return call(instruction, argument)
    case .argumentNames:
      argumentNames = constant(argument)?.names ?? []
      return !argumentNames.isEmpty
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
    _ count: Int, _ make: ([PythonExpression]) -> PythonExpression
  ) -> Bool {
    guard let (values, size) = pop(count) else { return false }
    return push(make(values), size: size + 1)
  }

  private mutating func slicedItem(lower: Bool, upper: Bool) -> Bool {
    let count = 1 + (lower ? 1 : 0) + (upper ? 1 : 0)
    return combine(count) {
      let ends = [lower ? $0[1] : .value(.none), upper ? $0[count - 1] : .value(.none)]
      return .item($0[0], .slice(ends))
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
    let hasNull = dialect.flagsGlobals && argument & 1 == 1
    if hasNull { stack.append((nil, 0)) }
    return push(name(dialect.flagsGlobals ? argument >> 1 : argument).map { .name($0) })
  }

  private mutating func pushAttribute(_ argument: Int) -> Bool {
    guard dialect.flagsAttributes else { return addAttribute(argument, isMethod: false) }
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
    var names = argumentNames
    argumentNames = []
    var named: [String: PythonExpression] = [:]
    var count = argument
    var size = 0
    if instruction == .callNamed || instruction == .callBothNamed {
      guard let written = pop(1), let texts = written.values[0].names else { return false }
      names = texts
    } else if instruction == .call2 {
      guard let pairs = pop(2 * (argument >> 8)) else { return false }
      for index in stride(from: 0, to: pairs.values.count, by: 2) {
        guard case .value(let value) = pairs.values[index],
          let name = value.name
        else { return false }
        named[name] = pairs.values[index + 1]
      }
      (count, size) = (argument & 0xFF, pairs.size)
    }
    guard let given = pop(count), names.count <= count, let function = popFunction(instruction)
    else { return false }
    for (name, value) in zip(names, given.values.suffix(names.count)) { named[name] = value }
    let positional = Array(given.values.dropLast(names.count))
    return push(
      .call(function.expression, positional, named: named),
      size: size + given.size + function.size + 1)
  }

  /// Pops the called function; next to it is NULL where Python reserves a slot for an object.
  private mutating func popFunction(
    _ instruction: PythonDialect.Instruction
  ) -> (expression: PythonExpression, size: Int)? {
    let hasNull = ![.call2, .call, .callNamed].contains(instruction)
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
