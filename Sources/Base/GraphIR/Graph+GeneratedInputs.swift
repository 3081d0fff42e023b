package import Bytes

/// The contents of generated inputs.
public enum GeneratedNumbers: Hashable, Sendable {
  /// Floats uniformly distributed over 0..<1, and integers that the model can take; the same for
  /// each seed.
  case random(seed: UInt64)
  /// Ones everywhere.
  case ones
}

extension Graph {
  /// Generates inputs for a model.
  ///
  /// A dynamic dimension is 1 for the batch and 32 elsewhere; dimensions with the same name are
  /// equal. Elements used as indices, of any type, are integers below the limit that the operator
  /// gives (the rows of an embedding); other integers are 0 or 1, except uint8, which can be any
  /// value.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` for an input of more than 2^28 elements.
  package func generatedInputs(_ numbers: GeneratedNumbers) throws(WeighbridgeError) -> [Tensor] {
    let limits = indexLimits
    var sizes: [String: Int] = [:]
    var tensors: [Tensor] = []
    for (index, port) in inputs.enumerated() {
      let type = self[port.value].type
      let shape = Self.generatedShape(type, &sizes)
      guard let count = try? Checked.product(shape, of: "the size of an input"), count <= 1 << 28
      else {
        throw .limitExceeded(
          "the input \(port.name) is \(shape), and inputs of up to \(1 << 28) elements are generated"
        )
      }
      var source = NumberSource(
        numbers, input: index, limit: limits[port.value] ?? Self.defaultLimit(type.elementType))
      tensors.append(
        Tensor(type.elementType, shape: shape, (0..<count).map { _ in source.next() }))
    }
    return tensors
  }

  private static func generatedShape(_ type: TensorType, _ sizes: inout [String: Int]) -> [Int] {
    type.shape.enumerated().map { axis, dimension in
      let defaultSize = axis == 0 ? 1 : 32
      switch dimension {
      case .fixed(let value): return value
      case .unknown: return defaultSize
      case .symbolic(let name):
        let size = sizes[name] ?? defaultSize
        sizes[name] = size
        return size
      }
    }
  }

  /// The limit when no operator gives one; `nil` for floats.
  private static func defaultLimit(_ type: ElementType) -> Int? {
    if type.isFloat { return nil }
    return type == .uint8 ? 256 : 2
  }

  /// For values used as indices, their exclusive upper bound: given by the operator itself, or
  /// propagated backwards through operators with only one input, such as casts and reshapes.
  private var indexLimits: [ValueID: Int] {
    var limits: [ValueID: Int] = [:]
    for node in nodes.reversed() {
      for (position, id) in node.inputs.enumerated() where self[id].constant == nil {
        let propagated = node.inputs.count == 1 ? node.outputs.compactMap { limits[$0] }.min() : nil
        guard let limit = limit(of: node, position) ?? propagated else { continue }
        limits[id] = min(limits[id] ?? limit, max(1, limit))
      }
    }
    return limits
  }

  private func limit(of node: Node, _ position: Int) -> Int? {
    guard case .indices(_, let limit)? = node.operation.slot(position) else { return nil }
    switch limit {
    case .count(let count): return count
    case .size(let input, let axis):
      guard node.inputs.indices.contains(input) else { return nil }
      let shape = self[node.inputs[input]].type.shape
      return shape.indices.contains(axis) ? shape[axis].value : nil
    }
  }
}

/// The elements of one generated input.
private struct NumberSource {
  private let isRandom: Bool
  private let limit: Int?
  private var generator: SplitMix64

  /// - Parameter limit: The exclusive upper bound of integers; `nil` for floats.
  init(_ numbers: GeneratedNumbers, input: Int, limit: Int?) {
    self.limit = limit
    switch numbers {
    case .ones: (isRandom, generator) = (false, SplitMix64(seed: 0))
    case .random(let seed):
      (isRandom, generator) = (true, SplitMix64(seed: seed &+ UInt64(input)))
    }
  }

  mutating func next() -> Double {
    guard isRandom else { return Double(min(1, (limit ?? 2) - 1)) }
    guard let limit else { return Double(generator.next() >> 11) / 0x1p53 }
    return Double(Int.random(in: 0..<max(1, limit), using: &generator))
  }
}
