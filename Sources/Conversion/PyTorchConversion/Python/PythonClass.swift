import Bytes
import ConversionCore
import GraphIR

/// What a module has: a submodule, a parameter or a buffer.
struct PythonMember: Sendable {
  /// How it is made.
  enum Kind: Sendable {
    /// A submodule, by its class and the arguments of its constructor.
    case module(String, [Argument])
    case parameter, buffer
  }

  /// An argument of a constructor.
  struct Argument: Sendable, Hashable {
    /// The name; empty for one that is given by its position.
    let label: String
    let value: String

    init(_ label: String, _ value: String) { (self.label, self.value) = (label, value) }

    init(_ value: String) { self.init("", value) }

    /// The argument as Python has it.
    var text: String { label.isEmpty ? value : "\(label)=\(value)" }
  }

  /// A tensor of the module's state.
  struct Weight: Sendable {
    /// The name in the member; empty for a parameter or buffer.
    let name: String
    let tensor: Tensor
    /// Whether training changes the member that has it.
    let isTrained: Bool

    /// The tensor of a module that has the member.
    func within(_ member: String) -> Weight {
      Weight(
        name: name.isEmpty ? member : "\(member).\(name)", tensor: tensor, isTrained: isTrained)
    }
  }

  /// The name in the module that has it.
  var name: String
  let kind: Kind
  let weights: [Weight]

  /// The statement in the constructor.
  var constructor: String {
    switch kind {
    case .module(let type, let arguments):
      "self.\(name) = \(type)(\(arguments.map(\.text).joined(separator: ", ")))"
        + (isConstant ? ".requires_grad_(False)" : "")
    case .parameter: "self.\(name) = nn.Parameter(\(Self.zeros(weights[0].tensor)))"
    case .buffer: "self.register_buffer(\"\(name)\", \(Self.zeros(weights[0].tensor)))"
    }
  }

  /// Whether it is a submodule with weights that are constants of the computation.
  var isConstant: Bool {
    weights.contains { $0.name == "weight" } && !weights.contains(where: \.isTrained)
  }

  private static func zeros(_ tensor: Tensor) -> String {
    let sizes = tensor.shape.map(String.init).joined(separator: ", ")
    let type = tensor.elementType
    let suffix = type.isFloat ? "" : ", dtype=\(PythonLiteral.type(type))"
    return "torch.zeros(\(tensor.shape.count == 1 ? sizes : "(\(sizes))")\(suffix))"
  }

  /// The weights under their names in the module that has the member.
  var state: [Weight] { weights.map { $0.within(name) } }
}

/// An assignment of an expression.
struct PythonStatement: Sendable, ExportNode {
  /// The names of the values that it computes, in the builder.
  var outputs: [String]
  var expression: PythonExpression
  /// The types of the outputs.
  let types: [TensorType]
  /// Whether it is a layer that begins a line, unlike a function that follows one.
  var isLayer: Bool
  /// Whether all outputs but the first are in one tuple.
  var groupsRest = false

  var inputs: [String] {
    get { expression.values }
    set {
      let names = Dictionary(zip(expression.values, newValue)) { first, _ in first }
      expression = expression.mapping { piece in
        if case .value(let name) = piece { [.value(names[name] ?? name)] } else { [piece] }
      }
    }
  }
}

/// A method that computes tensors of tensors.
struct PythonMethod: Sendable {
  let name: String
  /// The docstring; `nil` for none.
  var documentation: String?
  /// The names of the parameters: in Python, and in the builder.
  let parameters: [(python: String, value: String)]
  let statements: [PythonStatement]
  /// What it returns.
  let results: [PythonExpression]

  /// The positions of the members that it needs, in order, with repetitions.
  var members: [Int] {
    statements.flatMap(\.expression.members) + results.flatMap(\.members)
  }
}

/// A subclass of `nn.Module`.
struct PythonClass: Sendable {
  let name: String
  /// The lines of the docstring.
  var documentation: [String] = []
  /// The parameters of the constructor.
  var parameters: [String] = []
  var members: [PythonMember]
  var methods: [PythonMethod]
  /// Methods as text, which follow the others.
  var otherLines: [String] = []

  /// The lines of the class.
  var lines: [String] {
    var lines = ["class \(name)(nn.Module):"]
    lines += documentationLines
    for case .buffer in members.map(\.kind) where lines.count > 1 {
      lines.append("")
      break
    }
    for member in members {
      if case .buffer = member.kind { lines.append("    \(member.name): Tensor") }
    }
    if !members.isEmpty {
      if lines.count > 1 { lines.append("") }
      let parameters = self.parameters.map { ", \($0): int" }.joined()
      lines.append("    def __init__(self\(parameters)) -> None:")
      lines.append("        super().__init__()")
      lines += members.map { "        \($0.constructor)" }
    }
    for method in methods {
      if lines.count > 1 { lines.append("") }
      lines += PythonMethodText(method, members).lines.map { "    \($0)" }
    }
    for line in otherLines { lines.append(line.isEmpty ? "" : "    \(line)") }
    return lines
  }

  private var documentationLines: [String] {
    guard let first = documentation.first else { return [] }
    if documentation.count == 1 { return ["    \"\"\"\(first)\"\"\""] }
    return ["    \"\"\"\(first)"] + documentation.dropFirst().map { $0.isEmpty ? "" : "    \($0)" }
      + ["    \"\"\""]
  }
}
