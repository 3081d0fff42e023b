/// Instructions on names, tuples and calls.
extension SymbolicInterpreter {
  mutating func swap(_ distance: Int) throws(PythonRefusal) {
    guard distance >= 1, distance <= stack.count else { throw Self.damaged }
    stack.swapAt(stack.count - 1, stack.count - distance)
  }

  mutating func rotate(_ count: Int) throws(PythonRefusal) {
    guard count <= stack.count, let top = stack.popLast() else { throw Self.damaged }
    stack.insert(top, at: stack.count - count + 1)
  }

  mutating func copy(_ distance: Int) throws(PythonRefusal) {
    guard distance >= 1, distance <= stack.count else { throw Self.damaged }
    let (expression, size) = stack[stack.count - distance]
    guard let expression else { throw Self.damaged }
    try push(expression, size: size)
  }

  mutating func slicedItem(hasLower: Bool, hasUpper: Bool) throws(PythonRefusal) {
    let (values, size) = try pop(1 + (hasLower ? 1 : 0) + (hasUpper ? 1 : 0))
    let bounds: [PythonExpression] = [
      hasLower ? values[1] : .value(.none), hasUpper ? values[values.count - 1] : .value(.none),
    ]
    try push(.item(values[0], .slice(bounds)), size: size + 3)
  }

  /// Appends the elements of a constant to a new list, as Python compiles a list of constants.
  mutating func extendTuple(_ argument: Int) throws(PythonRefusal) {
    let (values, size) = try pop(2)
    guard argument == 1, case .tuple(let first) = values[0],
      case .value(.tuple(let more)) = values[1]
    else { throw PythonRefusal("makes a list from something else than constants") }
    try push(.tuple(first + more.map { .value($0) }), size: size + more.count)
  }

  /// Pushes the parts of a value, the first one last.
  mutating func unpack(_ count: Int) throws(PythonRefusal) {
    guard count <= Self.sizeLimit else {
      throw PythonRefusal("unpacks a value into \(count) parts")
    }
    let (values, size) = try pop(1)
    if case .tuple(let parts) = values[0] {
      guard parts.count == count else { throw Self.damaged }
      for part in parts.reversed() { try push(part, size: size) }
      return
    }
    for index in (0..<count).reversed() {
      try push(.part(values[0], index, of: count), size: size + 1)
    }
  }

  /// Pushes a variable of an enclosing function.
  mutating func pushCaptured(_ index: Int) throws(PythonRefusal) {
    let names = code.layout == .python311 ? code.variables : code.cellNames
    guard names.indices.contains(index) else { throw Self.damaged }
    // In the lists of older versions, the function's own shared variables come first.
    let position =
      code.layout == .python311
      ? code.freeNames.firstIndex(of: names[index])
      : index - (code.cellNames.count - code.freeNames.count)
    guard let position, code.freeNames.indices.contains(position) else {
      throw PythonRefusal("has a variable that it shares with a function inside it")
    }
    try push(.captured(position, names[index]))
  }

  /// In Python 3.11 and 3.12 a NULL for a call comes before the function, in 3.13 after it.
  mutating func pushGlobal(_ argument: Int) throws(PythonRefusal) {
    let hasNull = dialect.hasFlaggedGlobals && argument & 1 == 1
    if hasNull { stack.append((nil, 0)) }
    try push(.name(try name(dialect.hasFlaggedGlobals ? argument >> 1 : argument)))
  }

  mutating func pushAttribute(_ argument: Int) throws(PythonRefusal) {
    guard dialect.hasFlaggedAttributes else { return try addAttribute(argument, isMethod: false) }
    try addAttribute(argument >> 1, isMethod: argument & 1 == 1)
  }

  mutating func addAttribute(_ index: Int, isMethod: Bool) throws(PythonRefusal) {
    let name = try name(index)
    let (values, size) = try pop(1)
    if isMethod { stack.append((nil, 0)) }
    try push(.attribute(values[0], name), size: size + 1)
  }

  /// `import a.b` yields `a`, and `from a.b import c` yields `a.b`.
  mutating func importModule(_ index: Int) throws(PythonRefusal) {
    let name = try name(index)
    let isWhole = try pop(2).values[1] == .value(.none)
    try push(.name(isWhole ? String(name.prefix { $0 != "." }) : name))
  }

  mutating func importName(_ index: Int) throws(PythonRefusal) {
    guard let module = stack.last?.expression else { throw Self.damaged }
    try push(.attribute(module, try name(index)), size: 2)
  }

  mutating func call(
    _ instruction: PythonDialect.Instruction, _ argument: Int
  ) throws(PythonRefusal) {
    var names = keywordNames
    keywordNames = []
    var named: [String: PythonExpression] = [:]
    var count = argument
    var size = 0
    if instruction == .callKeywords || instruction == .python313CallKeywords {
      names = try self.names(try pop(1).values[0])
    } else if instruction == .python2Call {
      let pairs = try pop(2 * (argument >> 8))
      for index in stride(from: 0, to: pairs.values.count, by: 2) {
        guard case .value(let value) = pairs.values[index], let name = value.name else {
          throw Self.damaged
        }
        named[name] = pairs.values[index + 1]
      }
      (count, size) = (argument & 0xFF, pairs.size)
    }
    let arguments = try pop(count)
    guard names.count <= count else { throw Self.damaged }
    let function = try popFunction(instruction)
    for (name, value) in zip(names, arguments.values.suffix(names.count)) { named[name] = value }
    let positional = Array(arguments.values.dropLast(names.count))
    try push(
      .call(function.expression, positional, named: named),
      size: size + arguments.size + function.size + 1)
  }

  /// Pops the called function and the NULL next to it where Python reserves a slot for `self`.
  private mutating func popFunction(
    _ instruction: PythonDialect.Instruction
  ) throws(PythonRefusal) -> (expression: PythonExpression, size: Int) {
    let hasNull = ![.python2Call, .call, .callKeywords].contains(instruction)
    var entries: [Entry] = []
    for _ in 0..<(hasNull ? 2 : 1) {
      guard let entry = stack.popLast() else { throw Self.damaged }
      entries.append(entry)
    }
    let functions = entries.filter { $0.expression != nil }
    guard functions.count == 1, let expression = functions[0].expression else {
      throw Self.damaged
    }
    return (expression, functions[0].size)
  }
}
