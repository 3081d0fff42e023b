import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// A weight of a graph, and the tensors of a PyTorch module that it is made of.
struct PyTorchTarget: Sendable {
  /// A tensor of a module.
  struct Source: Sendable {
    /// The names by which a module may call the layer, the graph's own first.
    let layers: [String]
    /// The name in the module, such as `running_mean`.
    let role: String
    /// The shape in the module; `nil` for any.
    let shape: [Int]?
  }

  /// Tensors of a module, and how a weight is made of them.
  struct Form: Sendable {
    let sources: [Source]
    let make: @Sendable ([Tensor]) throws(WeighbridgeError) -> Tensor
  }

  /// The name in the graph; empty for what the graph lacks and a module may have, such as the zeros of a
  /// normalization without an offset.
  let name: String
  let form: Form
  /// What a module may have as a number in its code, and does not train: no layer's weight, and integers,
  /// booleans or a single number.
  private(set) var constant: Tensor?
  /// Whether a file need not have it.
  var isConstant: Bool { constant != nil || name.isEmpty }

  init(
    name: String, sources: [Source], constant: Tensor? = nil,
    make: @escaping @Sendable ([Tensor]) throws(WeighbridgeError) -> Tensor
  ) {
    self.name = name
    form = Form(sources: sources, make: make)
    self.constant = constant
  }

  /// The weights of a graph in the order of its nodes, each once.
  static func all(of graph: Graph) -> [PyTorchTarget] {
    var (targets, known) = ([PyTorchTarget](), Set<String>())
    for node in graph.nodes {
      for target in all(of: node, graph)
      where target.name.isEmpty || known.insert(target.name).inserted {
        targets.append(target)
      }
    }
    let unused = graph.weights.filter { !known.contains($0.name) }
    return targets + unused.map { tensor($0.tensor, named: $0.name, layers: [], isWeight: false) }
  }

  private static func all(of node: Node, _ graph: Graph) -> [PyTorchTarget] {
    let operation = node.operation
    let isWeight = { (position: Int) in
      if case .weight? = operation.slot(position) { true } else { false }
    }
    let weights = node.inputs.indices.filter(isWeight).map { graph[node.inputs[$0]] }
    let isConstant = weights.allSatisfy { $0.constant != nil }
    switch operation {
    case let operation as LSTM where isConstant:
      return recurrent(operation, [0, 1, 2, 3], node, weights)
    case let operation as GRU where isConstant:
      return recurrent(operation, [1, 0, 2], node, weights)
    case let operation as SimpleRNN where isConstant:
      return recurrent(operation, [0], node, weights)
    default: break
    }
    var roles = roles(of: operation)[...]
    let named = node.inputs.enumerated().compactMap { position, id -> PyTorchTarget? in
      let role = isWeight(position) ? roles.popFirst() ?? "" : ""
      guard let weight = graph[id].constant else { return nil }
      return tensor(
        weight, named: graph[id].name, layers: layers(node, graph[id].name), role,
        shape: moduleShape(weight, of: operation, role), isWeight: isWeight(position))
    }
    return named + absent(from: operation, node)
  }

  /// A weight that a module has as it is, or in another shape.
  private static func tensor(
    _ tensor: Tensor, named name: String, layers: [String], _ role: String = "",
    shape: [Int]? = nil, isWeight: Bool
  ) -> PyTorchTarget {
    PyTorchTarget(
      name: name, sources: [Source(layers: layers, role: role, shape: shape ?? tensor.shape)],
      constant: isWeight || tensor.elementType.isFloat && tensor.count > 1 ? nil : tensor
    ) { $0[0].reshaped(tensor.shape) }
  }

  /// The shape of a weight in a module, which has PReLU's without axes of size 1, and the kernel of a
  /// product along several axes as a matrix; `nil` if it is the same.
  private static func moduleShape(
    _ weight: Tensor, of operation: any Operator, _ role: String
  ) -> [Int]? {
    switch operation {
    case is PReLU: return weight.shape.count { $0 > 1 } > 1 ? nil : [weight.count]
    case let operation as EinsumDense where role == "weight":
      let inner = operation.input.letters.filter { !operation.output.letters.contains($0) }.count
      return [weight.shape.dropLast(inner), weight.shape.suffix(inner)].map { $0.reduce(1, *) }
    default: return nil
    }
  }

  /// The scale or offset that a normalization lacks, where a module has ones or zeros.
  private static func absent(from operation: any Operator, _ node: Node) -> [PyTorchTarget] {
    let flags: (hasScale: Bool, hasCenter: Bool)
    switch operation {
    case let operation as BatchNormalization: flags = (operation.hasScale, operation.hasCenter)
    case let operation as LayerNormalization: flags = (operation.hasScale, operation.hasCenter)
    case let operation as GroupNormalization: flags = (operation.hasScale, operation.hasCenter)
    default: return []
    }
    guard flags.hasScale != flags.hasCenter else { return [] }
    let (role, number) = flags.hasScale ? ("bias", 0.0) : ("weight", 1)
    let source = Source(layers: layers(node, ""), role: role, shape: nil)
    return [
      PyTorchTarget(name: "", sources: [source]) {
        (tensors) throws(WeighbridgeError) in
        guard tensors[0].doubles.allSatisfy({ $0 == number }) else {
          throw .mismatch(
            "\(node.name) has no \(role) in the architecture, and the file has another one than "
              + "\(number)")
        }
        return tensors[0]
      }
    ]
  }

  /// The names by which a module may call a layer: its own, that without the operator's, as a file of
  /// ONNX has it (`conv2d/Conv`), and what precedes the last part of a weight's name
  /// (`conv2d/kernel`).
  private static func layers(_ node: Node, _ weight: String) -> [String] {
    var names = [node.name]
    func addParent(of name: String, if isAdded: (Substring) -> Bool) {
      guard let end = name.lastIndex(of: "/"), isAdded(name[end...].dropFirst()) else { return }
      names.append(String(name[..<end]))
    }
    addParent(of: node.source.layer) { last in
      let operation = node.source.className
      return last == operation || last.hasPrefix("\(operation)_")
    }
    addParent(of: weight) { _ in true }
    return names
  }

  /// The names in PyTorch of a layer's weights, in the order of the operator's.
  private static func roles(of operation: any Operator) -> [String] {
    switch operation {
    case let operation as BatchNormalization:
      affine(operation.hasScale, operation.hasCenter) + ["running_mean", "running_var"]
    case let operation as LayerNormalization: affine(operation.hasScale, operation.hasCenter)
    case let operation as GroupNormalization: affine(operation.hasScale, operation.hasCenter)
    case is Convolution, is TransposedConvolution, is Dense, is Embedding, is PReLU:
      ["weight", "bias"]
    case let operation as EinsumDense: operation.isPrimitive ? [] : ["weight"]
    default: []
    }
  }

  private static func affine(_ hasScale: Bool, _ hasCenter: Bool) -> [String] {
    (hasScale ? ["weight"] : []) + (hasCenter ? ["bias"] : [])
  }

  private static func recurrent<Operation: RecurrentOperator>(
    _ operation: Operation, _ gates: [Int], _ node: Node, _ weights: [Value]
  ) -> [PyTorchTarget] {
    let named = zip(weights, ["weight_ih_l0", "weight_hh_l0"]).map { weight, role in
      PyTorchTarget(
        name: weight.name,
        sources: [
          Source(
            layers: layers(node, weight.name), role: role, shape: weight.constant?.shape ?? [])
        ]
      ) { $0[0].reorderingGates(gates) }
    }
    guard operation.bias != .none, weights.count > 2, let bias = weights[2].constant else {
      return named
    }
    let shape = [weights[0].constant?.shape[0] ?? 0]
    let isPair = operation.bias == .separate
    let pair = PyTorchTarget(
      name: weights[2].name,
      sources: ["bias_ih_l0", "bias_hh_l0"].map {
        Source(layers: layers(node, weights[2].name), role: $0, shape: shape)
      }
    ) { (biases) throws(WeighbridgeError) in
      let ordered = biases.map { $0.reorderingGates(gates) }
      if isPair {
        return Tensor(
          ordered[0].elementType, shape: bias.shape,
          bytes: ordered.flatMap { $0.contiguousBytes() })
      }
      if ordered[1].doubles.allSatisfy({ $0 == 0 }) { return ordered[0] }
      guard !(operation is GRU) else {
        throw .mismatch("has two biases for each gate, and the architecture's GRU has one")
      }
      return Tensor(
        ordered[0].elementType, shape: shape, zip(ordered[0].doubles, ordered[1].doubles).map(+))
    }
    return named + [pair]
  }
}
