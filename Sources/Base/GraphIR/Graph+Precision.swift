package import Bytes

extension Graph {
  /// For each value, by ``ValueID/index``, the coarsest floating-point type among it and the
  /// computed values that it depends on; `nil` for inputs, weights and values computed from
  /// integers only.
  ///
  /// The error of a result is bounded by the coarsest type among those it was computed through,
  /// whatever its own type.
  package var precisions: [ElementType?] {
    var precisions = [ElementType?](repeating: nil, count: values.count)
    for node in nodes {
      let inputs = node.inputs.compactMap { precisions[$0.index] }
      for output in node.outputs {
        let type = values[output.index].type.elementType
        let types = inputs + (type.isFloat ? [type] : [])
        precisions[output.index] = types.min { $0.significantBits < $1.significantBits }
      }
    }
    return precisions
  }

  /// The tolerance for the graph's outputs, given by the coarsest type that leads to one of them.
  package var standardTolerance: Tolerance {
    let precisions = precisions
    let types = outputs.map { precisions[$0.value.index] ?? self[$0.value].type.elementType }
    let coarsest = types.min { $0.significantBits < $1.significantBits }
    return .standard(for: coarsest ?? .float32)
  }
}

extension ElementType {
  /// The number of significant bits of this floating-point type.
  package var significantBits: Int {
    switch self {
    case .bfloat16: 8
    case .float16: 11
    case .float32: 24
    default: 53
    }
  }
}
