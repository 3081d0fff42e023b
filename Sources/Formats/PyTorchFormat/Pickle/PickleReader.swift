import Bytes

/// Reads pickles as data: an interpreter of the instructions that make numbers, texts, tuples, lists
/// and dictionaries, with the few names of ``PickleName``. Nothing is imported, and nothing is run.
///
/// Each instruction is read once, and makes at most as many elements as there are on the stack, so
/// that time and memory are bounded by the length of the pickle. Values that are the same are stored
/// once, however often they are used.
struct PickleReader {
  /// The largest number of values on the stack, of entries in the memo, and of tuples, lists and
  /// dictionaries.
  private static let valueLimit = 1 << 20

  private var stack: [PickleValue] = []
  /// The heights of the stack at the marks.
  private var marks: [Int] = []
  private var memo: [Int: PickleValue] = [:]
  /// The tuples, the empty one first.
  private var tuples: [[PickleValue]] = [[]]
  private(set) var lists: [[PickleValue]] = []
  private(set) var dictionaries: [PickleDictionary] = []
  /// The storages that are referred to, by their keys.
  private(set) var storages: [String: PyTorchStorage] = [:]
  /// Whether objects of classes are read, too, as dictionaries of their attributes.
  private let describesObjects: Bool
  var cursor: ByteCursor

  /// - Parameters:
  ///   - range: Where the pickles are, one after another.
  ///   - describesObjects: Whether objects of other classes are read as dictionaries of their
  ///     attributes, and calls of other functions as their first argument, to list what is in them.
  init(_ range: Range<Int>, describesObjects: Bool = false) {
    cursor = ByteCursor(range)
    self.describesObjects = describesObjects
  }

  /// The offset after the pickles that were read.
  var offset: Int { cursor.offset }

  /// Reads one pickle.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported``, with the name of what is refused;
  ///   ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  mutating func read(_ bytes: RawSpan) throws(WeighbridgeError) -> PickleValue {
    (stack, marks, memo) = ([], [], [:])
    while true {
      let start = cursor.offset
      do throws(WeighbridgeError) {
        let code = try cursor.integer(UInt8.self, from: bytes)
        guard let opcode = PickleOpcode(rawValue: code) else {
          throw .malformed("has the instruction \(code), which pickles do not have")
        }
        if let refusal = opcode.refusal, !describesObjects || opcode != .newObject {
          throw .unsupported(
            "has the instruction \(refusal); save the tensors alone: "
              + "torch.save(model.state_dict(), FILE)")
        }
        if opcode == .stop { return try pop() }
        try execute(opcode, bytes)
        guard stack.count <= Self.valueLimit, marks.count <= Self.valueLimit,
          memo.count <= Self.valueLimit,
          tuples.count + lists.count + dictionaries.count <= Self.valueLimit
        else { throw .limitExceeded("holds more than \(Self.valueLimit) values") }
      } catch { throw error.at(.byte(start)) }
    }
  }

  // MARK: The stack

  private mutating func pop() throws(WeighbridgeError) -> PickleValue {
    guard stack.count > (marks.last ?? 0), let value = stack.popLast() else {
      throw .malformed("takes a value that it has not made")
    }
    return value
  }

  private func top() throws(WeighbridgeError) -> PickleValue {
    guard stack.count > (marks.last ?? 0), let value = stack.last else {
      throw .malformed("takes a value that it has not made")
    }
    return value
  }

  /// Removes the values after the last mark.
  private mutating func popToMark() throws(WeighbridgeError) -> [PickleValue] {
    guard let height = marks.popLast(), height <= stack.count else {
      throw .malformed("takes values up to a mark that it has not set")
    }
    defer { stack.removeSubrange(height...) }
    return Array(stack[height...])
  }

  private mutating func pop(_ count: Int) throws(WeighbridgeError) -> [PickleValue] {
    var values: [PickleValue] = []
    for _ in 0..<count { values.append(try pop()) }
    return values.reversed()
  }

  // MARK: Instructions

  private mutating func execute(
    _ opcode: PickleOpcode, _ bytes: RawSpan
  ) throws(WeighbridgeError) {
    if let value = try literal(opcode, bytes) {
      stack.append(value)
      return
    }
    switch opcode {
    case .proto:
      let version = try cursor.integer(UInt8.self, from: bytes)
      guard version <= 5 else {
        throw .unsupported("is a pickle of protocol \(version), and 0 to 5 are read")
      }
    case .frame: _ = try cursor.integer(UInt64.self, from: bytes)
    case .mark: marks.append(stack.count)
    case .pop: if marks.last == stack.count { _ = marks.popLast() } else { _ = try pop() }
    case .popMark: _ = try popToMark()
    case .duplicate: stack.append(try top())
    case .get, .binaryGet, .longBinaryGet, .put, .binaryPut, .longBinaryPut, .memoize:
      try remember(opcode, bytes)
    case .tuple: add(tuple: try popToMark())
    case .tuple1: add(tuple: try pop(1))
    case .tuple2: add(tuple: try pop(2))
    case .tuple3: add(tuple: try pop(3))
    case .list, .emptyList, .append, .appends, .dictionary, .emptyDictionary, .setItem, .setItems:
      try collect(opcode)
    case .global, .stackGlobal: stack.append(.name(try name(opcode, bytes)))
    case .reduce: try reduce()
    case .newObject: try makeObject()
    case .build: try build()
    case .binaryPersistentID: stack.append(.storage(try storage(try pop())))
    default: throw .malformed("has the instruction \(opcode), which is not read")
    }
  }

  private mutating func add(tuple: [PickleValue]) {
    tuples.append(tuple)
    stack.append(.tuple(tuples.count - 1))
  }

  private mutating func remember(
    _ opcode: PickleOpcode, _ bytes: RawSpan
  ) throws(WeighbridgeError) {
    let key: Int =
      switch opcode {
      case .memoize: memo.count
      case .binaryGet, .binaryPut: Int(try cursor.integer(UInt8.self, from: bytes))
      case .longBinaryGet, .longBinaryPut: Int(try cursor.integer(UInt32.self, from: bytes))
      default: try decimal(try line(bytes))
      }
    switch opcode {
    case .get, .binaryGet, .longBinaryGet:
      guard let value = memo[key] else {
        throw .malformed("refers to the value \(key), which it has not stored")
      }
      stack.append(value)
    default: memo[key] = try top()
    }
  }

  private mutating func collect(_ opcode: PickleOpcode) throws(WeighbridgeError) {
    switch opcode {
    case .emptyList, .list:
      lists.append(opcode == .list ? try popToMark() : [])
      stack.append(.list(lists.count - 1))
    case .emptyDictionary, .dictionary:
      let pairs = opcode == .dictionary ? try popToMark() : []
      dictionaries.append(PickleDictionary())
      try dictionaries[dictionaries.count - 1].set(pairs)
      stack.append(.dictionary(dictionaries.count - 1))
    case .append, .appends:
      let elements = opcode == .append ? try pop(1) : try popToMark()
      guard case .list(let number) = try top() else {
        throw .malformed("appends to \(try top().title), expected a list")
      }
      lists[number] += elements
    default:
      let pairs = opcode == .setItem ? try pop(2) : try popToMark()
      guard case .dictionary(let number) = try top() else {
        throw .malformed("sets items of \(try top().title), expected a dict")
      }
      try dictionaries[number].set(pairs)
    }
  }

  private mutating func name(
    _ opcode: PickleOpcode, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> PickleName {
    if opcode == .global {
      let module = try line(bytes)
      return try name(module, try line(bytes))
    }
    let words = try pop(2)
    guard let module = words[0].string, let name = words[1].string else {
      throw .malformed("names a class by \(words[0].title) and \(words[1].title), expected texts")
    }
    return try self.name(module, name)
  }

  private func name(_ module: String, _ name: String) throws(WeighbridgeError) -> PickleName {
    do throws(WeighbridgeError) {
      return try PickleName(module, name)
    } catch {
      guard describesObjects else { throw error }
      return .other
    }
  }

  // MARK: What names make of their arguments

  private mutating func reduce() throws(WeighbridgeError) {
    let values = try pop(2)
    guard case .name(let name) = values[0], let arguments = elements(values[1]) else {
      throw .malformed(
        "calls \(values[0].title) with \(values[1].title), expected a name with a tuple")
    }
    switch name {
    case .orderedDict:
      guard arguments.isEmpty else {
        throw .unsupported("makes an OrderedDict of arguments, which torch.save does not")
      }
      dictionaries.append(PickleDictionary())
      stack.append(.dictionary(dictionaries.count - 1))
    case .rebuildTensor: stack.append(.tensor(try tensor(arguments)))
    case .rebuildParameter:
      guard case .tensor(let view)? = arguments.first else {
        throw .malformed("makes a parameter of no tensor")
      }
      stack.append(.tensor(view))
    case .size:
      guard arguments.count == 1, elements(arguments[0]) != nil else {
        throw .malformed("makes a torch.Size of no tuple")
      }
      stack.append(arguments[0])
    case .other: stack.append(arguments.first ?? .none)
    case .storage:
      throw .unsupported("calls \(name.title), and elements are read from the file's storages only")
    }
  }

  private mutating func makeObject() throws(WeighbridgeError) {
    _ = try pop(2)
    dictionaries.append(PickleDictionary())
    stack.append(.dictionary(dictionaries.count - 1))
  }

  /// The attributes of a dictionary, such as `_metadata`, are not needed; those of an object are what
  /// it is described by.
  private mutating func build() throws(WeighbridgeError) {
    let state = try pop()
    if describesObjects {
      guard case .dictionary(let object) = try top(), case .dictionary(let attributes) = state
      else { return }
      dictionaries[object] = dictionaries[attributes]
      return
    }
    guard case .dictionary = try top() else {
      throw .unsupported("has the instruction BUILD for \(try top().title), which sets attributes")
    }
  }

  private func tensor(_ arguments: [PickleValue]) throws(WeighbridgeError) -> PyTorchView {
    guard arguments.count >= 4, case .storage(let storage) = arguments[0],
      let offset = arguments[1].integer, let shape = integers(arguments[2]),
      let strides = integers(arguments[3])
    else {
      throw .malformed("has a tensor without a storage, an offset, a shape and strides")
    }
    return try PyTorchView(storage, offset: offset, shape: shape, strides: strides)
  }

  /// The elements of a tuple.
  private func elements(_ value: PickleValue) -> [PickleValue]? {
    if case .tuple(let number) = value { tuples[number] } else { nil }
  }

  private func integers(_ value: PickleValue) -> [Int]? {
    guard let elements = elements(value) else { return nil }
    let integers = elements.compactMap(\.integer)
    return integers.count == elements.count ? integers : nil
  }

  /// The storage of a persistent ID: `('storage', type, key, location, count)`.
  private mutating func storage(_ value: PickleValue) throws(WeighbridgeError) -> PyTorchStorage {
    guard let parts = elements(value), parts.count >= 5, parts[0].string == "storage",
      case .name(.storage(let type)) = parts[1], let key = parts[2].string,
      let count = parts[4].integer, count >= 0
    else { throw .unsupported("refers to something outside of the pickle that is no storage") }
    if parts.count > 5, case .tuple = parts[5] {
      throw .unsupported("has a storage that is a part of another, as PyTorch wrote before 0.4")
    }
    let storage = PyTorchStorage(key: key, elementType: type, count: count)
    guard storages[key, default: storage] == storage else {
      throw .malformed("has the storage \(key) with several types or sizes, expected one")
    }
    storages[key] = storage
    return storage
  }
}
