package import Bytes

extension Graph {
  /// For each value, by ``ValueID/index``, the coarsest floating-point type among what nodes made on
  /// the way to it and itself; `nil` for inputs, weights and what comes of whole numbers only.
  ///
  /// A result can be as far off as the coarsest type that it went through, whatever its own type.
  package var precisions: [ElementType?] {
    var precisions = [ElementType?](repeating: nil, count: values.count)
    for node in nodes {
      let inputs = node.inputs.compactMap { precisions[$0.index] }
      for output in node.outputs {
        let own = values[output.index].type.elementType
        let all = inputs + (own.isFloat ? [own] : [])
        precisions[output.index] = all.min { $0.significantBits < $1.significantBits }
      }
    }
    return precisions
  }

  /// The tolerance for the graph's outputs that the coarsest type on the way to one of them allows.
  package var standardTolerance: Tolerance {
    let precisions = precisions
    let types = outputs.map { precisions[$0.value.index] ?? self[$0.value].type.elementType }
    let coarsest = types.min { $0.significantBits < $1.significantBits }
    return .standard(for: coarsest ?? .float32)
  }
}

extension ElementType {
  /// How many significant bits a number of this floating-point type has.
  package var significantBits: Int {
    switch self {
    case .bfloat16: 8
    case .float16: 11
    case .float32: 24
    default: 53
    }
  }
}
