package import Bytes
package import GraphIR
package import LayerCatalog

/// A node of a source that computes values from values: what is constant is computed at once, the
/// rest becomes nodes of the graph.
package protocol ValueLayer: MappedLayer
where Network == ValueNetwork<Context>, Output == [SourceValue] {
  /// What the nodes of the format share.
  associatedtype Context
  /// The names of its outputs in the file; `nil` where they do not keep them.
  var outputNames: [String]? { get }
}

extension ValueLayer {
  package func type(_ value: SourceValue) -> TensorType { network.type(value) }

  /// Converts axes to non-negative indices in ascending order.
  package func axes(_ axes: [Int], rank: Int) throws(WeighbridgeError) -> [Int] {
    let resolved = axes.map { $0 < 0 ? $0 + rank : $0 }
    if let position = resolved.firstIndex(where: { !(0..<rank).contains($0) }) {
      let description =
        rank == 0
        ? "without axes"
        : rank == 1 ? "that has axis 0 only" : "that has the axes 0 to \(rank - 1)"
      throw malformed(
        "\(source.className) names axis \(axes[position]), expected one of a tensor \(description)")
    }
    guard Set(resolved).count == axes.count else {
      throw malformed(
        "\(source.className) names an axis twice: \(axes), and each can be named once")
    }
    return resolved.sorted()
  }

  package func axis(_ axis: Int, rank: Int) throws(WeighbridgeError) -> Int {
    try axes([axis], rank: rank)[0]
  }
}

/// Operators.
extension ValueLayer {
  /// Applies an operator: evaluates it if all inputs are constant, otherwise adds it as a node.
  ///
  /// - Parameter role: The operator's role in the file's node; empty for the one that produces its
  ///   outputs.
  package mutating func apply(
    _ operation: any CatalogOperator, _ inputs: [SourceValue], role: String = ""
  ) throws(WeighbridgeError) -> [SourceValue] {
    if let problem = operation.problem { throw malformed(problem) }
    let tensors = inputs.compactMap(\.tensor)
    if tensors.count == inputs.count {
      return try evaluate(operation, tensors).enumerated().map { position, tensor in
        .constant(constantName(role, position), tensor)
      }
    }
    let scope = source.withRole(role)
    var ids: [ValueID] = []
    for input in inputs { ids.append(try network.id(input, scope)) }
    let names = role.isEmpty ? outputNames : nil
    return try network.add(operation, ids, scope, outputNames: names).map { .computed($0) }
  }

  /// Applies an operator with one output.
  package mutating func apply(
    _ operation: any CatalogOperator, to inputs: SourceValue..., role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    try apply(operation, inputs, role: role)[0]
  }

  private func constantName(_ role: String, _ position: Int) -> String {
    if role.isEmpty, let outputNames, position < outputNames.count { return outputNames[position] }
    if role.isEmpty { return "\(source.layer):\(position)" }
    return position == 0 ? "\(source.layer)/\(role)" : "\(source.layer)/\(role):\(position)"
  }

  private mutating func evaluate(
    _ operation: any CatalogOperator, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> [Tensor] {
    let operation = operation.stating(integerRules, for: inputs.map(\.type))
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.checkedOutputTypes(of: inputs.map(\.type))
    } catch { throw malformed(error.reason) }
    for type in types {
      let size = try Checked.product(
        (type.fixedShape ?? []) + [8], of: "the size of a constant")
      try network.countConstant(type, byteCount: size)
    }
    return try operation.evaluate(inputs, workers: Workers(count: 1))
  }

  /// Creates a constant of this node.
  package func newConstant(_ tensor: Tensor, _ role: String) -> SourceValue {
    .constant("\(source.layer)/\(role)", tensor)
  }

  /// Creates a constant of one element, with the element type and rank of a value.
  package func number(_ number: Double, like value: SourceValue, _ role: String) -> SourceValue {
    let ones = [Int](repeating: 1, count: type(value).rank)
    return newConstant(Tensor(type(value).elementType, shape: ones, [number]), role)
  }

  /// Returns a constant transposed or reshaped, as a view of the same bytes.
  package func derived(
    _ value: SourceValue, _ role: String, _ change: (Tensor) -> Tensor
  ) throws(WeighbridgeError) -> SourceValue {
    guard case .constant(let name, let tensor) = value else {
      throw unsupported(
        "has a weight that is known only when the model runs, and \(source.className) "
          + "can be read with constant ones only")
    }
    return .constant(role.isEmpty ? name : "\(name)/\(role)", change(tensor))
  }

  /// Returns values of a common rank, with leading axes of size 1 added, as ONNX broadcasts them.
  package mutating func aligned(_ values: [SourceValue]) throws(WeighbridgeError) -> [SourceValue] {
    let rank = values.map { type($0).rank }.max() ?? 0
    var result: [SourceValue] = []
    for (position, value) in values.enumerated() {
      let missing = rank - type(value).rank
      guard missing > 0 else {
        result.append(value)
        continue
      }
      if case .constant(let name, let tensor) = value {
        let ones = [Int](repeating: 1, count: missing)
        result.append(.constant(name, tensor.reshaped(ones + tensor.shape)))
      } else {
        result.append(
          try apply(
            ExpandDims(axes: Array(0..<missing)), to: value, role: "expand_dims_\(position)"))
      }
    }
    return result
  }

  /// Returns the sizes with which a reshape keeps some axes of a type.
  package func keptSizes(_ type: TensorType, _ axes: Range<Int>) -> [ReshapeAxes.Size] {
    axes.map { axis in type.shape[axis].value.map { .fixed($0) } ?? .axis(axis) }
  }

  package mutating func transposed(
    _ value: SourceValue, _ axes: [Int], role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    if axes == Array(axes.indices) { return value }
    return try apply(Transpose(axes: axes), to: value, role: role)
  }
}
