/// The user's arrays, matched to inputs, outputs and layers.
struct ArrayMatching {
  /// One array for each port, in the ports' order.
  let matched: [Tensor]
  /// Arrays that match no port, but whose names the caller expects.
  let others: [NamedTensor]

  /// Matches arrays to ports: by name, or by order when no name matches. In the order, ports with a
  /// default are left out if there are arrays for the others only.
  ///
  /// - Parameters:
  ///   - defaults: The arrays of ports for which none has to be given, by name.
  ///   - known: Names that arrays may have in addition to the ports'.
  ///   - what: `input` or `output`, for messages.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a missing or a surplus array.
  init(
    _ arrays: [NamedTensor], to ports: [ModelPort], defaults: [String: Tensor] = [:],
    known: Set<String> = [], what: String
  ) throws(WeighbridgeError) {
    // The usual arrays: one for each port in their order, with its name or without names.
    let isOrdered =
      arrays.elementsEqual(ports) { $0.name == $1.name }
      || arrays.count == ports.count && arrays.allSatisfy(\.name.isEmpty)
    if isOrdered {
      (matched, others) = (arrays.map(\.tensor), [])
      return
    }
    let names = Set(ports.map(\.name))
    var named: [String: Tensor] = [:]
    for array in arrays where names.contains(array.name) { named[array.name] = array.tensor }
    let unmatched = arrays.filter { !names.contains($0.name) }
    let unknown = unmatched.filter { !known.contains($0.name) }
    if named.isEmpty {
      // Arrays with known names are left out, unless all of them are needed for the ports (an
      // output that was renamed keeps its old name in older array files).
      let unnamed = unknown.isEmpty ? unmatched : unknown
      let required = ports.filter { defaults[$0.name] == nil }
      let taken = unnamed.count == ports.count ? ports : required
      guard unnamed.count == taken.count else { throw Self.wrongCount(arrays, ports, what) }
      for (port, array) in zip(taken, unnamed) { named[port.name] = array.tensor }
      others = unknown.isEmpty ? [] : unmatched.filter { known.contains($0.name) }
    } else {
      guard unknown.isEmpty else { throw Self.wrongCount(arrays, ports, what) }
      others = unmatched
    }
    matched = ports.compactMap { named[$0.name] ?? defaults[$0.name] }
    guard matched.count == ports.count else { throw Self.wrongCount(arrays, ports, what) }
  }

  private static func wrongCount(
    _ arrays: [NamedTensor], _ ports: [ModelPort], _ what: String
  ) -> WeighbridgeError {
    let expected = ports.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    let given = arrays.map { "\($0.name.isEmpty ? "(no name)" : $0.name) \($0.tensor.shape)" }
      .joined(separator: ", ")
    return .mismatch(
      "the arrays do not fit the \(what)s: given \(given.isEmpty ? "none" : given); the model has "
        + expected)
  }
}

extension Tensor {
  /// Returns the same values in the element type of an input.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when integers are required and an element is a
  ///   fraction.
  func converted(to elementType: ElementType, for name: String) throws(WeighbridgeError) -> Tensor {
    guard self.elementType != elementType else { return self }
    let numbers = doubles
    if !elementType.isFloat, self.elementType.isFloat,
      numbers.contains(where: { $0 != $0.rounded() })
    {
      throw .mismatch(
        "the input \(name) takes \(elementType.rawValue), and the array holds fractions")
    }
    return Tensor(elementType, shape: shape, numbers)
  }
}
