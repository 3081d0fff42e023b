import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// Loops and branches, and the lists that loops fill. They become the nodes of their blocks, or operators with
/// subgraphs where only a run decides what is computed.
extension MILControl {
  static let nodes: [String: MILLayer.Build] = [
    "cond": { (layer) throws(WeighbridgeError) in try layer.branch() },
    "while_loop": { (layer) throws(WeighbridgeError) in try layer.loop() },
    "list_gather": { (layer) throws(WeighbridgeError) in
      let list = try layer.list()
      if case .stacked(let values) = list {
        return [try layer.apply(Gather(axis: 0), to: values, try layer.input("indices"))]
      }
      let places = try layer.integers("indices") ?? []
      let values = try places.map { (place) throws(WeighbridgeError) in
        try layer.element(place, of: list)
      }
      return [try layer.packed(values, axis: 0)]
    },
    "list_length": { (layer) throws(WeighbridgeError) in
      let count = Double(try layer.elements(of: try layer.list()).count)
      return [layer.newConstant(Tensor(.int32, shape: [], [count]), "length")]
    },
    "list_read": { (layer) throws(WeighbridgeError) in
      let list = try layer.list()
      if case .stacked(let values) = list {
        return [try layer.apply(Gather(axis: 0), to: values, try layer.input("index"))]
      }
      return [try layer.element(try layer.integer("index"), of: list)]
    },
    "list_scatter": { (layer) throws(WeighbridgeError) in
      var list = try layer.list()
      let (places, value) = (try layer.integers("indices") ?? [], try layer.input("value"))
      guard layer.type(value).shape.first?.value == places.count else {
        throw layer.malformed(
          "puts \(layer.type(value)) at \(places.count) indices of a list, expected one for each")
      }
      let parts = try layer.unpacked(value, axis: 0, count: places.count)
      for (place, part) in zip(places, parts) { try layer.put(part, at: place, in: &list) }
      layer.listOutputs = [list]
      return []
    },
    "list_write": { (layer) throws(WeighbridgeError) in
      var list = try layer.list()
      let value = try layer.input("value")
      if case .collecting(nil) = list {
        list = .collecting((place: try layer.input("index"), value: value))
      } else {
        try layer.put(value, at: try layer.integer("index"), in: &list)
      }
      layer.listOutputs = [list]
      return []
    },
    "make_list": { (layer) throws(WeighbridgeError) in
      layer.ignore("elem_shape", "dtype", "dynamic_length")
      let count = try layer.integer("init_length", default: 1)
      guard (0...MILLayer.maximumListCount).contains(count) else {
        throw .limitExceeded(
          "makes a list of \(count) elements, and 0 to \(MILLayer.maximumListCount) can be read")
      }
      layer.listOutputs = [.elements([SourceValue?](repeating: nil, count: count))]
      return []
    },
  ]
}

/// A value that a loop or a branch takes or gives.
private enum MILVariable {
  case tensor(SourceValue)
  case list(MILContext.List)

  var isList: Bool { if case .list = self { true } else { false } }
}

/// A block with its constants, which are the same in each step.
private struct MILBody {
  let block: MILBlock
  let constants: [String: SourceValue]
  let texts: [String: [String]]
}

extension MILLayer {
  fileprivate static var maximumListCount: Int { 1 << 16 }

  /// The list that an operation takes.
  fileprivate mutating func list() throws(WeighbridgeError) -> MILContext.List {
    guard let bindings = bindings("ls"), case .name(let name)? = bindings.first,
      let list = network.context.lists[name]
    else { throw malformed("takes no list that an operation before it gives, expected one as ls") }
    return list
  }

  /// The elements of a list whose length is known.
  fileprivate func elements(
    of list: MILContext.List
  ) throws(WeighbridgeError) -> [SourceValue?] {
    if case .elements(let elements) = list { return elements }
    throw unsupported(
      "takes a list whose length is known only when the model runs, and such a list can be written at the place "
        + "of each step and read after the loop")
  }

  fileprivate func element(
    _ place: Int, of list: MILContext.List
  ) throws(WeighbridgeError) -> SourceValue {
    let elements = try elements(of: list)
    let index = place < 0 ? place + elements.count : place
    guard elements.indices.contains(index), let value = elements[index] else {
      throw malformed(
        "takes the element \(place) of a list of \(elements.count), and nothing was put there")
    }
    return value
  }

  fileprivate func put(
    _ value: SourceValue, at place: Int, in list: inout MILContext.List
  ) throws(WeighbridgeError) {
    guard (0..<Self.maximumListCount).contains(place) else {
      throw .limitExceeded(
        "puts an element at the place \(place) of a list, and 0 to \(Self.maximumListCount - 1) can be read"
      )
    }
    var elements = try elements(of: list)
    let missing = place + 1 - elements.count
    if missing > 0 { elements += [SourceValue?](repeating: nil, count: missing) }
    elements[place] = value
    list = .elements(elements)
  }

  /// Adds a loop: written out step by step if its conditions are constant and there are few steps, otherwise with
  /// its body as a subgraph.
  fileprivate mutating func loop() throws(WeighbridgeError) -> [SourceValue] {
    guard operation.blocks.count == 2 else {
      throw malformed("has \(operation.blocks.count) blocks, expected a condition and a body")
    }
    var variables: [MILVariable] = []
    for (position, binding) in (bindings("loop_vars") ?? []).enumerated() {
      if case .name(let name) = binding, let list = network.context.lists[name] {
        variables.append(.list(list))
      } else {
        variables.append(.tensor(try value(binding, "loop_vars", position)))
      }
    }
    let before = network
    if let results = try unrolled(variables) { return finished(results) }
    network.restore(before)
    return finished(try looped(variables))
  }

  /// Adds the body of a loop once for each step.
  ///
  /// - Returns: `nil` if a condition is known only when the model runs, or there are too many steps.
  private mutating func unrolled(
    _ initial: [MILVariable]
  ) throws(WeighbridgeError) -> [MILVariable]? {
    let (condition, body) = (try body(operation.blocks[0]), try body(operation.blocks[1]))
    var variables = initial
    for step in 0... {
      let answer = try run(condition, variables, "condition_\(step)")
      guard answer.count == 1, case .tensor(let value) = answer[0], let isMet = value.tensor,
        isMet.count == 1
      else { return nil }
      if isMet.doubles[0] == 0 { break }
      guard step < Self.maximumStepCount, network.mayUnroll else { return nil }
      variables = try results(body, variables, "step_\(step)")
    }
    return variables
  }

  /// The results of a loop's body, as many as there are variables.
  private mutating func results(
    _ body: MILBody, _ variables: [MILVariable], _ scopeName: String
  ) throws(WeighbridgeError) -> [MILVariable] {
    let results = try run(body, variables, scopeName)
    guard results.map(\.isList) == variables.map(\.isList) else {
      throw malformed(
        "has a body that gives \(results.count) values for \(variables.count), expected as many, and lists for lists"
      )
    }
    return results
  }

  /// Adds a loop with its body as a subgraph. A list that gets an element in each step becomes a tensor of them.
  private mutating func looped(
    _ variables: [MILVariable]
  ) throws(WeighbridgeError) -> [MILVariable] {
    let (condition, body) = (try body(operation.blocks[0]), try body(operation.blocks[1]))
    let names = Set(operation.blocks.flatMap(\.namesFromOutside)).sorted()
    let states = variables.compactMap { variable in
      if case .tensor(let value) = variable { value } else { nil }
    }
    for case .list(let list) in variables {
      guard try elements(of: list).allSatisfy({ $0 == nil }) else {
        throw unsupported(
          "passes a list with elements from step to step as often as only a run tells, and an empty one can be read"
        )
      }
    }
    let isRunning = try isMet(condition, variables)
    let results = try loop(while: isRunning, states) { (layer, given) throws(WeighbridgeError) in
      try layer.subgraph(layer.network.context.ofSubgraph, given: given, reading: names, []) {
        (layer, given, _) throws(WeighbridgeError) in
        var rest = given.dropFirst()
        let inputs = variables.map { variable -> MILVariable in
          if case .list = variable { .list(.collecting(nil)) } else { .tensor(rest.removeFirst()) }
        }
        let outputs = try layer.results(body, inputs, "body")
        var (tensors, collected) = ([SourceValue](), [SourceValue]())
        for output in outputs {
          switch output {
          case .tensor(let value): tensors.append(value)
          case .list(let list):
            collected.append(
              try layer.collected(list, before: Array(given.dropFirst()), states: states, outputs))
          }
        }
        return [try layer.isMet(condition, outputs)] + tensors + collected
      }
    }
    var (tensors, lists) = (results[..<states.count], results[states.count...])
    return variables.map { variable in
      if case .list = variable {
        .list(.stacked(lists.removeFirst()))
      } else {
        .tensor(tensors.removeFirst())
      }
    }
  }

  /// Whether there is another step: bool `[]`.
  private mutating func isMet(
    _ condition: MILBody, _ variables: [MILVariable]
  ) throws(WeighbridgeError) -> SourceValue {
    let answer = try run(condition, variables, "condition")
    guard answer.count == 1, case .tensor(let value) = answer[0] else {
      throw malformed("has a condition of \(answer.count.counted("value")), expected one tensor")
    }
    return try single(value, .bool, role: "condition")
  }

  /// What a step writes to a list, at the place that has the number of the step.
  ///
  /// - Parameters:
  ///   - given: The states before the step.
  ///   - states: Those before the loop.
  ///   - outputs: What the body gives.
  private func collected(
    _ list: MILContext.List, before given: [SourceValue], states: [SourceValue],
    _ outputs: [MILVariable]
  ) throws(WeighbridgeError) -> SourceValue {
    let next = outputs.compactMap { output in
      if case .tensor(let value) = output { value } else { nil }
    }
    guard case .collecting((let place, let value)?) = list,
      let counter = given.firstIndex(where: { $0.isSame(as: place) }), given.count == next.count,
      states[counter].tensor?.doubles == [0], case .computed(let after) = next[counter],
      let (operation, terms) = network.producers[after], operation is Add,
      terms.count == 2, terms.contains(where: { SourceValue.computed($0).isSame(as: place) }),
      terms.contains(where: { network.graph.constant(of: $0)?.doubles == [1] })
    else {
      throw unsupported(
        "puts other elements into a list than one in each step at the place of its number, and runs as often as "
          + "only a run tells")
    }
    return value
  }

  /// Adds one of two blocks, or both where the condition is known only when the model runs.
  fileprivate mutating func branch() throws(WeighbridgeError) -> [SourceValue] {
    guard operation.blocks.count == 2 else {
      throw malformed("has \(operation.blocks.count) blocks, expected one for each answer")
    }
    let condition = try input("pred")
    if let tensor = condition.tensor {
      guard tensor.count == 1 else {
        throw malformed("has a condition of \(tensor.count.counted("element")), expected one")
      }
      let isMet = tensor.doubles[0] != 0
      return finished(
        try run(try body(operation.blocks[isMet ? 0 : 1]), [], isMet ? "true" : "false"))
    }
    let flag = try single(condition, .bool, role: "condition")
    let branches = try zip(operation.blocks, ["true", "false"]).map {
      (block, name) throws(WeighbridgeError) in
      let body = try body(block)
      return try subgraph(
        network.context.ofSubgraph, given: [], reading: block.namesFromOutside, []
      ) { (layer, _, _) throws(WeighbridgeError) in
        try layer.run(body, [], name).map { (variable) throws(WeighbridgeError) in
          if case .tensor(let value) = variable { return value }
          throw layer.unsupported(
            "chooses between lists when the model runs, and tensors can be read")
        }
      }
    }
    return try branched(by: flag, branches)
  }

  /// The tensors among values; the lists become those of the operation.
  private mutating func finished(_ variables: [MILVariable]) -> [SourceValue] {
    var tensors: [SourceValue] = []
    for variable in variables {
      switch variable {
      case .tensor(let value): tensors.append(value)
      case .list(let list): listOutputs.append(list)
      }
    }
    return tensors
  }

  private mutating func body(_ block: MILBlock) throws(WeighbridgeError) -> MILBody {
    let (values, texts) = (network.values, network.context.texts)
    var names: [String] = []
    for operation in block.operations where operation.type == "const" {
      try MILImporter.define(operation, &network)
      names += operation.outputs.map(\.name)
    }
    let constants = names.compactMap { name in network.values[name].map { (name, $0) } }
    let bodyTexts = names.compactMap { name in network.context.texts[name].map { (name, $0) } }
    network.replaceValues(values)
    network.context.texts = texts
    return MILBody(
      block: block, constants: Dictionary(constants) { first, _ in first },
      texts: Dictionary(bodyTexts) { first, _ in first })
  }

  /// Adds the operations of a block, which can use the values around it, and returns its results.
  ///
  /// - Parameter scopeName: The part of its layers' names that follows the operation's name.
  private mutating func run(
    _ body: MILBody, _ inputs: [MILVariable], _ scopeName: String
  ) throws(WeighbridgeError) -> [MILVariable] {
    let block = body.block
    try network.countBody(block.operations.count + 1)
    guard block.inputs.count == inputs.count else {
      throw malformed(
        "passes \(inputs.count) values to a block that takes \(block.inputs.count), expected as many"
      )
    }
    let (outer, context) = (network.values, network.context)
    var values = outer.merging(body.constants) { _, own in own }
    network.context.texts.merge(body.texts) { _, own in own }
    for (input, variable) in zip(block.inputs, inputs) {
      switch variable {
      case .tensor(let value): values[input.name] = value
      case .list(let list): network.context.lists[input.name] = list
      }
    }
    network.replaceValues(values)
    for (position, operation) in block.operations.enumerated() where operation.type != "const" {
      var scope = Self.source(operation)
      scope.layer = "\(source.layer)/\(scopeName)/\(scope.layer)"
      var moved = MILNetwork(MILContext(files: context.files, opset: context.opset), names: [])
      swap(&moved, &network)  // so that nothing is copied
      network = try MILImporter.add(operation, position, scope, to: consume moved)
    }
    let results = try block.outputs.map { (name) throws(WeighbridgeError) -> MILVariable in
      if let value = network.values[name] { return .tensor(value) }
      if let list = network.context.lists[name] { return .list(list) }
      throw malformed("has a block in which no operation gives its result \(name)")
    }
    network.replaceValues(outer)
    network.context = context
    return results
  }
}

extension MILBlock {
  /// The names of the values around it that the block or the blocks in it read, in alphabetical order.
  fileprivate var namesFromOutside: [String] {
    var read = Set(outputs)
    for operation in operations {
      for case .name(let name) in operation.inputs.flatMap(\.bindings) { read.insert(name) }
      read.formUnion(operation.blocks.flatMap(\.namesFromOutside))
    }
    read.subtract(inputs.map(\.name))
    read.subtract(operations.flatMap(\.outputs).map(\.name))
    return read.sorted()
  }
}

extension SourceValue {
  /// Whether two values are the same one, which the model computes.
  fileprivate func isSame(as other: SourceValue) -> Bool {
    if case (.computed(let one), .computed(let two)) = (self, other) { one == two } else { false }
  }
}
