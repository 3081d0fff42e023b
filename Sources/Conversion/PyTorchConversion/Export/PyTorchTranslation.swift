import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// A model as the text of a module and the weights under the module's names.
struct PyTorchTranslation {
  /// The name of the class.
  private static let className = "Net"

  /// The text of the module.
  let text: String
  /// The weights by the names in the module's state.
  let weights: [PythonMember.Weight]
  /// Descriptions of what the files lack of the model, or contain in another form.
  let losses: [String]

  /// - Parameters:
  ///   - weightsName: The name of the file with the weights.
  init(
    _ content: ModelContent, options: PyTorchOptions, weightsName: String
  ) throws(WeighbridgeError) {
    var content = content
    content.description = PyTorchDetection.describingInput(content)
    let prepared = try PreparedModel(
      content, PyTorchExporter.passes(options), for: "PyTorch", PyTorchOperators.table)
    let graph = prepared.graph
    let replaced = Self.replacedTypes(graph)
    var builder = PyTorchBuilder(
      trainable: Self.trainable(graph), replacedTypes: Set(replaced))
    let inputs = graph.inputs.map { builder.addInput(graph[$0.value].type) }
    let outputs = try builder.emit(graph, inputs: inputs, groups: ExportGroups())
    var results: [PythonExpression] = []
    for (port, output) in zip(graph.outputs, outputs) {
      builder.scope.prefix = port.name
      results.append(try builder.resolved("\(output)"))
    }
    var names = PythonNames()
    let parameters = graph.inputs.map { graph.inputs.count == 1 ? "x" : names.unused($0.name) }
    let computed = results.flatMap(\.values)
    let method = PythonMethod(
      name: "forward", parameters: Array(zip(parameters, inputs.map(\.name))),
      statements: builder.statements.needed(for: computed, renaming: [:]), results: results)
    let detection = Self.detection(prepared, &builder)
    let network = PythonClass(
      name: Self.className,
      documentation: Self.documentation(prepared, parameters: parameters),
      members: builder.members, methods: [method] + detection.methods
    ).keepingNeededMembers()
    let folded = network.folded()
    let classes = builder.classes.filter { type in
      network.members.contains { if case .module(type.name, _) = $0.kind { true } else { false } }
    }
    let helpers = PyTorchHelper.allCases.filter(builder.helpers.contains)
    let title = prepared.description.name ?? "A network"
    text = PyTorchText.file(
      title: "\(title), with its weights in \(weightsName).",
      [helpers.flatMap(\.lines)] + (classes + folded).map(\.lines))
    weights = (folded.last ?? network).members.flatMap(\.state)
    losses =
      prepared.losses + replaced.map { "\($0.rawValue) is computed in float32" }
      + Self.roundedInterpolations(graph) + Self.trainingLosses(content.graph) + detection.losses
  }

  /// The method that decodes boxes, or why there is none.
  private static func detection(
    _ model: PreparedModel, _ builder: inout PyTorchBuilder
  ) -> (methods: [PythonMethod], losses: [String]) {
    var changed = builder
    do throws(WeighbridgeError) {
      let method = try PyTorchDetection.method(model, &changed)
      builder = changed
      return (method.map { [$0] } ?? [], [])
    } catch { return ([], ["the module does not decode boxes: \(error.reason)"]) }
  }

  /// The names of the weights of layers; other constants are part of the computation.
  private static func trainable(_ graph: Graph) -> Set<String> {
    var weights: Set<ValueID> = []
    for node in graph.nodes.reversed() {
      let computesWeight = node.outputs.contains(where: weights.contains)
      for (position, id) in node.inputs.enumerated() {
        let slot = node.operation.slot(position)
        guard case .weight(let name)? = slot, !statistics.contains(name) else {
          if computesWeight { weights.insert(id) }
          continue
        }
        weights.insert(id)
      }
    }
    return Set(weights.map { graph[$0].name })
  }

  /// The slots of weights that follow from the examples.
  private static let statistics: Set = ["mean", "variance"]

  /// Says which interpolations are rounded to whole numbers: PyTorch adds in float32, and the last place
  /// decides in the middle between two.
  private static func roundedInterpolations(_ graph: Graph) -> [String] {
    let rounded = graph.nodes.flatMap { node -> [ValueID] in
      switch node.operation {
      case let operation as UnaryMath:
        [.round, .floor, .ceiling, .truncate].contains(operation.function) ? node.inputs : []
      case let operation as Cast: operation.elementType.isInteger ? node.inputs : []
      default: []
      }
    }
    return graph.nodes.filter { node in
      switch node.operation {
      case let operation as Resizing where operation.interpolation == .nearest: false
      case is Resizing, is CenterCrop: !Set(rounded).isDisjoint(with: node.outputs)
      default: false
      }
    }.map {
      "\($0.source.layer) rounds an interpolation, and what lies in the middle between two whole "
        + "numbers may become the other one"
    }
  }

  /// The floating-point types of a model in which a module does not compute.
  private static func replacedTypes(_ graph: Graph) -> [ElementType] {
    let used = Set(graph.values.map(\.type.elementType))
    return [.bfloat16, .float16, .float64].filter(used.contains)
  }

  /// What only training needs, and the model does not have.
  private static func trainingLosses(_ graph: Graph) -> [String] {
    let layers = graph.nodes.filter { node in
      (node.operation as? Identity)?.noise == nil && node.source.className.hasPrefix("Random")
    }
    return layers.prefix(1).map {
      "\($0.source.layer) and other layers that act only in training are left out"
    }
  }

  /// The lines about inputs and outputs.
  private static func documentation(
    _ model: PreparedModel, parameters: [String]
  ) -> [String] {
    let (graph, description) = (model.graph, model.description)
    var lines = [description.summary ?? "The network."].map(PythonLiteral.documentation)
    lines.append("")
    for (parameter, port) in zip(parameters, graph.inputs) {
      let summary = description.inputs.first { $0.name == port.name }?.summary
      lines.append("\(parameter): \(entry(port, graph, summary))")
    }
    for port in graph.outputs {
      let summary = description.outputs.first { $0.name == port.name }?.summary
      lines.append("returns \(entry(port, graph, summary))")
    }
    return lines
  }

  private static func entry(_ port: Port, _ graph: Graph, _ summary: String?) -> String {
    let text = "\(port.name), \(graph[port.value].type)" + (summary.map { ": \($0)" } ?? "")
    return PythonLiteral.documentation(text.replacing("\n", with: " "))
  }
}

/// The text of a file.
enum PyTorchText {
  /// A file with functions and classes, each as lines, and what they import.
  static func file(title: String, _ parts: [[String]]) -> String {
    let definitions = parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    let body = definitions.joined(separator: "\n\n\n")
    var imports: [String] = []
    if body.contains("torch.") { imports.append("import torch") }
    if body.contains("F.") { imports.append("import torch.nn.functional as F") }
    imports.append("from torch import Tensor, nn")
    let lines =
      ["\"\"\"\(PythonLiteral.documentation(title.replacing("\n", with: " ")))\"\"\"", ""] + imports
    return lines.joined(separator: "\n") + "\n\n\n" + body + "\n"
  }
}

extension PythonClass {
  /// The class with the members that its methods need, in the order in which they need them.
  func keepingNeededMembers() -> PythonClass {
    var needed: [Int] = []
    for position in methods.flatMap(\.members) where !needed.contains(position) {
      needed.append(position)
    }
    let positions = Dictionary(uniqueKeysWithValues: needed.enumerated().map { ($1, $0) })
    return PythonClass(
      name: name, documentation: documentation, parameters: parameters,
      members: needed.map { members[$0] },
      methods: methods.map { $0.renumbering { positions[$0] ?? 0 } }, otherLines: otherLines)
  }
}

extension PythonMethod {
  /// The method with other positions of members.
  func renumbering(_ position: (Int) -> Int) -> PythonMethod {
    func renumbered(_ expression: PythonExpression) -> PythonExpression {
      expression.mapping { piece in
        if case .member(let old) = piece { [.member(position(old))] } else { [piece] }
      }
    }
    let statements = statements.map { statement in
      var result = statement
      result.expression = renumbered(statement.expression)
      return result
    }
    return PythonMethod(
      name: name, documentation: documentation, parameters: parameters, statements: statements,
      results: results.map(renumbered))
  }
}
