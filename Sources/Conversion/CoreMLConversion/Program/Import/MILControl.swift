import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// Loops and branches, which become the nodes of their blocks, and the lists that loops fill. How often
/// a loop runs must follow from the file.
enum MILControl {
  static let nodes: [String: MILLayer.Build] = [
    "cond": { (layer) throws(WeighbridgeError) in try layer.branch() },
    "while_loop": { (layer) throws(WeighbridgeError) in try layer.loop() },
    "list_gather": { (layer) throws(WeighbridgeError) in
      let list = try layer.list()
      let places = try layer.integers("indices") ?? []
      let values = try places.map { (place) throws(WeighbridgeError) in
        try layer.element(place, of: list)
      }
      return [try layer.packed(values, axis: 0)]
    },
    "list_length": { (layer) throws(WeighbridgeError) in
      let count = Double(try layer.list().count)
      return [layer.newConstant(Tensor(.int32, shape: [], [count]), "length")]
    },
    "list_read": { (layer) throws(WeighbridgeError) in
      [try layer.element(try layer.integer("index"), of: try layer.list())]
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
      try layer.put(try layer.input("value"), at: try layer.integer("index"), in: &list)
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
      layer.listOutputs = [[SourceValue?](repeating: nil, count: count)]
      return []
    },
  ]
}

/// A value that a loop or a branch takes or gives.
private enum MILVariable {
  case tensor(SourceValue)
  case list(MILContext.List)
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

  fileprivate func element(
    _ place: Int, of list: MILContext.List
  ) throws(WeighbridgeError) -> SourceValue {
    let index = place < 0 ? place + list.count : place
    guard list.indices.contains(index), let value = list[index] else {
      throw malformed(
        "takes the element \(place) of a list of \(list.count), and nothing was put there")
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
    let missing = place + 1 - list.count
    if missing > 0 { list += MILContext.List(repeating: nil, count: missing) }
    list[place] = value
  }

  /// Unrolls a loop: adds its body once for each step, as long as its condition is met.
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
    let (condition, body) = (try body(operation.blocks[0]), try body(operation.blocks[1]))
    var step = 0
    while true {
      let answer = try run(condition, variables, "condition_\(step)")
      guard answer.count == 1, case .tensor(let value) = answer[0], let isMet = value.tensor,
        isMet.count == 1
      else {
        throw unsupported(
          "ends by a condition that is known only when the model runs, and only a loop with a known "
            + "number of steps can be read")
      }
      if isMet.doubles[0] == 0 { break }
      _ = try checkedSteps(step + 1)
      let results = try run(body, variables, "step_\(step)")
      guard results.count == variables.count else {
        throw malformed(
          "has a body that gives \(results.count) values for \(variables.count), expected as many")
      }
      variables = results
      step += 1
    }
    return finished(variables)
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
    var answers: [[SourceValue]] = []
    for (block, name) in zip(operation.blocks, ["true", "false"]) {
      let variables = try run(try body(block), [], name)
      let tensors = variables.compactMap { variable in
        if case .tensor(let value) = variable { value } else { nil }
      }
      guard tensors.count == variables.count else {
        throw unsupported("chooses between lists when the model runs, and tensors can be read")
      }
      answers.append(tensors)
    }
    guard answers[0].map({ type($0) }) == answers[1].map({ type($0) }),
      answers[0].allSatisfy({ type($0).fixedShape != nil })
    else {
      throw unsupported(
        "chooses between values of different types when the model runs, and values of one type can be read"
      )
    }
    return try chosen(by: condition, answers[0], answers[1])
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
