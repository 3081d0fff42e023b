import Bytes
import GraphIR
import LayerCatalog

/// A value of the graph as a rule of a target sees it.
struct ExportOperand: Sendable {
  /// What it is called in the file.
  let name: String
  /// Its type.
  let type: TensorType
  /// The elements of a weight.
  let constant: Tensor?
}

/// The operator that is being translated.
struct ExportScope: Sendable {
  /// With which the names of what it becomes begin.
  var prefix = ""
  /// What it takes.
  var operands: [ExportOperand] = []
  /// The types of its outputs.
  var outputTypes: [TensorType] = []
}

/// How an operator is written.
struct ExportRule<Draft>: Sendable {
  /// Adds what an operator becomes, and returns the names of its outputs.
  let apply: @Sendable (any CatalogOperator, inout Draft) throws(WeighbridgeError) -> [String]
}

/// What an operator becomes in a target.
struct ExportRow<Draft>: Sendable {
  /// The kind of the operator.
  let kind: String
  /// The rule, or why there is none.
  let mapping: TargetMapping<ExportRule<Draft>>

  /// A row for an operator of several outputs.
  init<Operation: CatalogOperator>(
    outputsOf type: Operation.Type,
    _ rule: @escaping @Sendable (Operation, inout Draft) throws(WeighbridgeError) -> [String]
  ) {
    kind = type.kind
    mapping = .mapped(
      ExportRule { (operation, draft) throws(WeighbridgeError) in
        guard let operation = operation as? Operation else {
          throw WeighbridgeError(.unsupported, "is no \(Operation.kind)")
        }
        return try rule(operation, &draft)
      })
  }

  /// A row for an operator of one output.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type,
    _ rule: @escaping @Sendable (Operation, inout Draft) throws(WeighbridgeError) -> String
  ) {
    self.init(outputsOf: type) { (operation, draft) throws(WeighbridgeError) in
      [try rule(operation, &draft)]
    }
  }

  /// A row for an operator of any type.
  init(
    kind: String,
    _ rule:
      @escaping @Sendable (any CatalogOperator, inout Draft) throws(WeighbridgeError) -> [String]
  ) {
    self.kind = kind
    mapping = .mapped(ExportRule(apply: rule))
  }

  /// A row for an operator that cannot be written.
  init(_ type: any CatalogOperator.Type, unsupported reason: String) {
    kind = type.kind
    mapping = .unsupported(reason)
  }
}

/// A file of a target while it grows, one operator after the other.
protocol ExportDraft {
  /// The target's name.
  static var target: String { get }
  /// What operators become, by kind; one that is not here becomes what it is made of.
  static var mappings: [String: TargetMapping<ExportRule<Self>>] { get }
  /// The operator that is being translated.
  var scope: ExportScope { get set }
}

extension ExportDraft {
  /// The inputs of the operator that is being translated.
  var operands: [ExportOperand] { scope.operands }

  /// The type of an input.
  func type(_ position: Int = 0) -> TensorType { scope.operands[position].type }

  /// The type of the first output.
  var outputType: TensorType { scope.outputTypes[0] }

  /// The elements of a weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the input is not known beforehand.
  func tensor(_ position: Int) throws(WeighbridgeError) -> Tensor {
    guard let tensor = scope.operands[position].constant else {
      throw WeighbridgeError(
        .unsupported,
        "its input \(scope.operands[position].name) is no weight, and \(Self.target) wants it known"
      )
    }
    return tensor
  }

  /// Adds what an operator becomes.
  ///
  /// - Parameters:
  ///   - name: With which the names of what it becomes begin.
  ///   - inputs: What it takes.
  /// - Returns: The names of its outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the target has no form for it.
  mutating func apply(
    _ operation: any Operator, named name: String, _ inputs: [ExportOperand]
  ) throws(WeighbridgeError) -> [String] {
    guard let operation = operation as? any CatalogOperator else {
      throw WeighbridgeError(.unsupported, "nobody said what it computes")
    }
    switch (Self.mappings[operation.kind], operation.decomposition) {
    case (.unsupported(let reason), _): throw WeighbridgeError(.unsupported, reason)
    case (.mapped(let rule), _):
      let outer = scope
      scope = ExportScope(
        prefix: name, operands: inputs, outputTypes: try Self.outputTypes(operation, inputs))
      let outputs = try rule.apply(operation, &self)
      scope = outer
      return outputs
    case (nil, .nodes(let build)):
      return try apply(build, named: name, inputs)
    case (nil, .primitive):
      throw WeighbridgeError(.unsupported, "\(Self.target) has no form for \(operation.kind)")
    }
  }

  /// The output of an operator that takes one tensor.
  mutating func apply(
    _ operation: any Operator, to input: String, _ type: TensorType
  ) throws(WeighbridgeError) -> String {
    try apply(
      operation, named: scope.prefix, [ExportOperand(name: input, type: type, constant: nil)])[0]
  }

  private static func outputTypes(
    _ operation: any CatalogOperator, _ inputs: [ExportOperand]
  ) throws(WeighbridgeError) -> [TensorType] {
    do throws(ShapeError) {
      return try operation.checkedOutputTypes(of: inputs.map(\.type))
    } catch { throw WeighbridgeError(.malformed, error.reason) }
  }

  /// Adds what an operator is made of.
  private mutating func apply(
    _ build: (inout GraphBuilder, [ValueID], SourceScope) throws(WeighbridgeError) -> [ValueID],
    named name: String, _ inputs: [ExportOperand]
  ) throws(WeighbridgeError) -> [String] {
    var builder = GraphBuilder()
    var operands: [ValueID: ExportOperand] = [:]
    var ids: [ValueID] = []
    for (position, input) in inputs.enumerated() {
      let id = try builder.addInput("\(position)", input.type)
      operands[id] = input
      ids.append(id)
    }
    let outputs = try build(&builder, ids, SourceScope(layer: name, className: ""))
    let graph = try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) })
    for node in graph.nodes {
      let results = try apply(
        node.operation, named: name, node.inputs.compactMap { operands[$0] })
      for (id, result) in zip(node.outputs, results) {
        operands[id] = ExportOperand(name: result, type: graph[id].type, constant: nil)
      }
    }
    return outputs.compactMap { operands[$0]?.name }
  }
}
