import Bytes
import GraphIR
import TensorFlowFormat

/// What a graph computes for some results: the operations that these need, each after those that it
/// reads from, with functions in place of their calls.
struct TensorFlowProgram {
  /// A graph, or a function in place of one call.
  private struct Scope {
    /// The function's position; `nil` for the graph.
    let function: Int?
    /// Where it is called, and the values that it is given.
    let call: (scope: Int, inputs: [String])
    let depth: Int
  }

  /// A result of an operation in a scope.
  private struct Output {
    let scope: Int
    let node: Int
    let index: Int
  }

  private struct Place: Hashable {
    let scope: Int
    let node: Int
  }

  private let graph: TensorFlowGraph
  /// The positions of nodes by their names: in the graph, and in each function.
  private let nodes: [String: Int]
  private var nodesOfFunctions: [Int: [String: Int]] = [:]
  private let functions: [String: Int]
  private var scopes: [Scope]
  private var scopesOfCalls: [Place: Int] = [:]
  private var names: UniqueNames
  private var positions: [Place: Int] = [:]

  /// The operations.
  private(set) var operations: [TensorFlowOperation] = []
  /// The values that are the results.
  private(set) var results: [String] = []

  private static let scopeLimit = 1 << 12
  private static let depthLimit = 64
  private static let operationLimit = 1 << 18

  /// - Parameters:
  ///   - results: The values to compute, as the graph names them.
  ///   - reserved: Names that operations in functions do not keep.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``;
  ///   ``WeighbridgeError/Code/unsupported`` for a program that changes variables.
  init(
    _ graph: TensorFlowGraph, results wanted: [String], reserved: [String]
  ) throws(WeighbridgeError) {
    self.graph = graph
    names = UniqueNames(graph.nodes.map(\.name) + reserved)
    nodes = Self.positions(graph.nodes.map(\.name))
    functions = Self.positions(graph.functions.map(\.name))
    scopes = [Scope(function: nil, call: (0, []), depth: 0)]
    var outputs: [Output] = []
    for value in wanted { outputs.append(try source(of: value, in: 0)) }
    try checkEffects(of: outputs)
    for output in outputs { try add(output) }
    results = outputs.map(name)
  }

  private static func positions(_ names: [String]) -> [String: Int] {
    Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func node(_ place: Place) -> TensorFlowNode {
    scopes[place.scope].function.map { graph.functions[$0].nodes[place.node] }
      ?? graph.nodes[place.node]
  }

  private func name(_ output: Output) -> String {
    let position = positions[Place(scope: output.scope, node: output.node)] ?? 0
    return operations[position].value(output.index)
  }
}

/// Where values come from.
extension TensorFlowProgram {
  /// The function that a node calls; `nil` for another node.
  private func function(calledBy node: TensorFlowNode) throws(WeighbridgeError) -> Int? {
    guard ["PartitionedCall", "StatefulPartitionedCall"].contains(node.operation) else {
      return functions[node.operation]
    }
    guard case .function(let name)? = node.attributes["f"], let function = functions[name] else {
      throw .malformed("\(node.name) calls a function that the graph does not have")
    }
    return function
  }

  /// The scope of a call.
  private mutating func scope(
    of place: Place, _ node: TensorFlowNode, _ function: Int
  ) throws(WeighbridgeError) -> Int {
    if let scope = scopesOfCalls[place] { return scope }
    let depth = scopes[place.scope].depth + 1
    guard depth <= Self.depthLimit, scopes.count < Self.scopeLimit else {
      throw .limitExceeded(
        "calls functions within functions more than \(Self.depthLimit) deep, or more than "
          + "\(Self.scopeLimit) times")
    }
    let inputs = node.inputs.filter { !$0.hasPrefix("^") }
    guard inputs.count == graph.functions[function].inputs.count else {
      throw .malformed(
        "\(node.name) gives \(inputs.count) values to a function of "
          + "\(graph.functions[function].inputs.count)")
    }
    if nodesOfFunctions[function] == nil {
      nodesOfFunctions[function] = Self.positions(graph.functions[function].nodes.map(\.name))
    }
    scopes.append(Scope(function: function, call: (place.scope, inputs), depth: depth))
    scopesOfCalls[place] = scopes.count - 1
    return scopes.count - 1
  }

  /// Follows a value to the operation that computes it, through arguments and calls.
  private mutating func source(
    of value: String, in scope: Int
  ) throws(WeighbridgeError) -> Output {
    var (value, scope) = (value, scope)
    for _ in 0..<Self.scopeLimit {
      let parts = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let index = parts.count == 1 ? 0 : Int(parts[parts.count - 1])
      guard let index, (0..<1 << 16).contains(index), parts.count <= 3 else {
        throw .malformed("reads \(value), expected the name and number of a result")
      }
      let function = scopes[scope].function.map { graph.functions[$0] }
      if let function, let argument = function.inputs.firstIndex(of: parts[0]) {
        (value, scope) = (scopes[scope].call.inputs[argument], scopes[scope].call.scope)
        continue
      }
      let known = scopes[scope].function.flatMap { nodesOfFunctions[$0] } ?? nodes
      guard let position = known[parts[0]] else {
        throw .malformed("reads \(value), which no operation gives")
      }
      let place = Place(scope: scope, node: position)
      let node = node(place)
      guard let called = try self.function(calledBy: node) else {
        let output =
          parts.count < 3
          ? index : TensorFlowOperation.output(parts[1], index, of: node.operation)
        return Output(scope: scope, node: position, index: output)
      }
      scope = try self.scope(of: place, node, called)
      let outputs = graph.functions[called].outputs
      let isNamed = parts.count == 3 && functions[node.operation] != nil
      let result = isNamed ? outputs.firstIndex(of: parts[1]) ?? outputs.count : index
      guard result < outputs.count, let next = graph.functions[called].results[outputs[result]]
      else { throw .malformed("reads result \(index) of \(node.name), which has \(outputs.count)") }
      value = next
    }
    throw .malformed("has functions whose results are their own arguments, expected computed ones")
  }
}

extension TensorFlowProgram {
  /// Adds the operation of a result, after all that it reads from.
  private mutating func add(_ output: Output) throws(WeighbridgeError) {
    // The path of a depth-first search, with what each operation reads.
    var path: [(place: Place, inputs: [Output], examined: Int)] = []
    var isOnPath: Set<Place> = []
    func begin(_ output: Output, _ program: inout Self) throws(WeighbridgeError) {
      let place = Place(scope: output.scope, node: output.node)
      guard program.positions[place] == nil else { return }
      guard isOnPath.insert(place).inserted else {
        throw .malformed(
          "the operations form a cycle, so that none can be computed first; one is "
            + program.node(place).name
        )
      }
      var inputs: [Output] = []
      let node = program.node(place)
      // What a loop of TensorFlow 1 reads from its last round is no cycle; a loop is refused later.
      for value in node.inputs where !value.hasPrefix("^") && node.operation != "NextIteration" {
        inputs.append(try program.source(of: value, in: place.scope))
      }
      path.append((place, inputs, 0))
    }
    try begin(output, &self)
    while let (place, inputs, examined) = path.last {
      guard examined == inputs.count else {
        path[path.count - 1].examined += 1
        try begin(inputs[examined], &self)
        continue
      }
      path.removeLast()
      isOnPath.remove(place)
      try append(place, inputs)
    }
  }

  private mutating func append(_ place: Place, _ inputs: [Output]) throws(WeighbridgeError) {
    guard operations.count < Self.operationLimit else {
      throw .limitExceeded("runs more than \(Self.operationLimit) operations")
    }
    let node = node(place)
    positions[place] = operations.count
    operations.append(
      TensorFlowOperation(
        name: place.scope == 0 ? node.name : names.unused(node.name), kind: node.operation,
        attributes: node.attributes,
        inputs: inputs.map(name)))
  }

  /// Refuses a program that writes to variables, also where only the order says that it runs.
  private mutating func checkEffects(of outputs: [Output]) throws(WeighbridgeError) {
    var stack = outputs.map { Place(scope: $0.scope, node: $0.node) }
    var visited = Set(stack)
    var examined = 1  // the graph runs only what is needed
    while true {
      while examined < scopes.count {
        for name in scopes[examined].function.map({ graph.functions[$0].effects }) ?? [] {
          stack += try predecessor(name, in: examined)
        }
        examined += 1
      }
      guard let place = stack.popLast() else { return }
      let node = node(place)
      if TensorFlowOperation.changesVariables(node.operation) {
        throw .unsupported(
          "changes variables when it runs (\(node.name), \(node.operation)), and only models "
            + "whose variables stay as they are can be read")
      }
      for value in node.inputs {
        let before: [Place]
        if value.hasPrefix("^") {
          before = try predecessor(String(value.dropFirst()), in: place.scope)
        } else {
          let source = try source(of: value, in: place.scope)
          before = [Place(scope: source.scope, node: source.node)]
        }
        for place in before where visited.insert(place).inserted { stack.append(place) }
      }
    }
  }

  /// An operation that runs before another one, by its name; none for an argument and for a call,
  /// whose function is entered.
  private mutating func predecessor(
    _ name: String, in scope: Int
  ) throws(WeighbridgeError) -> [Place] {
    let known = scopes[scope].function.flatMap { nodesOfFunctions[$0] } ?? nodes
    guard let position = known[name] else { return [] }
    let place = Place(scope: scope, node: position)
    guard let called = try function(calledBy: node(place)) else { return [place] }
    _ = try self.scope(of: place, node(place), called)
    return []
  }
}

extension TensorFlowOperation {
  /// Whether an operator writes to variables.
  fileprivate static func changesVariables(_ kind: String) -> Bool {
    ["Apply", "Assign", "ResourceApply", "ResourceScatter", "ResourceSparseApply", "Scatter"]
      .contains { kind.hasPrefix($0) } && kind != "ScatterNd"
  }
}
