import Bytes
import GraphIR

/// The tensors of a file that weights are made of, each found by its name, or all by their order.
struct PyTorchFoundTensors {
  typealias Tensors = [(name: String, tensor: Tensor)]

  /// The tensors for each weight; `nil` for a constant that the file does not have.
  let parts: [[Tensor]?]
  /// By which rule they were found, as a sentence.
  let decision: String

  /// - Throws: ``WeighbridgeError/Code/mismatch``, which lists what remains.
  init(_ tensors: Tensors, _ targets: [PyTorchTarget]) throws(WeighbridgeError) {
    let named = Self.byName(tensors, targets)
    if named.missing.isEmpty, named.unused.isEmpty {
      (parts, decision) = (named.parts, "the weights were found by their names")
      return
    }
    let isComplete =
      targets.reduce(0) { $0 + ($1.name.isEmpty ? 0 : $1.sources.count) } == tensors.count
    do throws(WeighbridgeError) {
      parts = try Self.inOrder(
        isComplete ? tensors : tensors.filter { !Self.isConstant($0.name) }, targets,
        withConstants: isComplete)
    } catch {
      guard named.unused.count < tensors.count / 2 else { throw error }
      let remaining = [
        ("no tensors for ", named.missing, ", which the architecture has"),
        ("", named.unused, ", which the architecture does not have"),
      ].filter { !$0.1.isEmpty }.map { "\($0)\(PyTorchWeightNames.list($1))\($2)" }
      throw .mismatch(
        "has, by their names, \(remaining.joined(separator: ", and ")); give the names "
          + "(\(APIName.weightNames))")
    }
    decision =
      "the weights were found by their order in the file, in which all endings and shapes agree"
  }

  /// Whether an exported module calls a tensor a constant, which is a part of its computation.
  private static func isConstant(_ name: String) -> Bool {
    name.contains(#/(^|_)constant(_\d+)?($|\.)/#)
  }

  /// A name in which all that separates its parts is equal.
  private static func normalized(_ name: String) -> String {
    guard let end = name.lastIndex(of: ".") else {
      return PythonNames.identifier(name).lowercased()
    }
    return normalized(String(name[..<end]), String(name[end...].dropFirst()))
  }

  /// The same for a tensor of a layer, whose name may be cut off.
  private static func normalized(_ layer: String, _ role: String) -> String {
    "\(PythonNames.identifier(layer))_\(role)".lowercased()
  }

  /// The sizes by which an order of axes is known.
  private static func withoutOnes(_ shape: [Int]?) -> [Int]? { shape?.filter { $0 != 1 } }

  /// The tensors by name, each for one weight only; names that two tensors have are not used.
  private static func byName(
    _ tensors: Tensors, _ targets: [PyTorchTarget]
  ) -> (parts: [[Tensor]?], missing: [String], unused: [String]) {
    let known = Dictionary(grouping: tensors.indices) { normalized(tensors[$0].name) }
    let sources = targets.flatMap { target in
      target.sources.map { source in
        var names = source.layers.map { normalized($0, source.role) }
        if !target.name.isEmpty {
          names.insert(normalized(target.name), at: min(1, names.count))
        }
        return (shape: withoutOnes(source.shape), names: names)
      }
    }
    var (positions, used) = ([Int?](repeating: nil, count: sources.count), Set<Int>())
    for rank in 0..<(sources.map(\.names.count).max() ?? 0) {
      for (index, source) in sources.enumerated() where positions[index] == nil {
        guard rank < source.names.count, let found = known[source.names[rank]], found.count == 1,
          source.shape == nil || withoutOnes(tensors[found[0]].tensor.shape) == source.shape,
          used.insert(found[0]).inserted
        else { continue }
        positions[index] = found[0]
      }
    }
    var (rest, missing) = (positions[...], [String]())
    let parts = targets.map { target -> [Tensor]? in
      let own = rest.prefix(target.sources.count).compactMap { $0 }
      rest = rest.dropFirst(target.sources.count)
      if own.count == target.sources.count { return own.map { tensors[$0].tensor } }
      if !target.isConstant { missing.append(target.name) }
      return nil
    }
    let unused = tensors.indices.filter { !used.contains($0) }.map { tensors[$0].name }
      .filter { !isConstant($0) }
    return (parts, missing, unused)
  }

  /// The tensors in their order.
  ///
  /// - Parameter withConstants: Whether the file has the constants, too.
  private static func inOrder(
    _ tensors: Tensors, _ targets: [PyTorchTarget], withConstants: Bool
  ) throws(WeighbridgeError) -> [[Tensor]?] {
    let isWanted = { (target: PyTorchTarget) in
      !target.name.isEmpty && (withConstants || !target.isConstant)
    }
    let sources = targets.filter(isWanted).flatMap { target in
      target.sources.map { (target.name, $0) }
    }
    for (position, ((name, source), tensor)) in zip(sources, tensors).enumerated() {
      let ending = tensor.name.split(separator: ".").last.map(String.init) ?? tensor.name
      guard tensor.tensor.shape == source.shape, source.role.isEmpty || ending == source.role
      else {
        throw .mismatch(
          "is \(tensor.tensor.shape), and in the order of the architecture the weight \(name) "
            + "follows, which is \(source.role) \(source.shape ?? []); what was found before it: "
            + "\(position) of \(sources.count); give the names (\(APIName.weightNames))"
        ).at(.path(tensor.name))
      }
    }
    if sources.count > tensors.count {
      let missing = sources[tensors.count...].map(\.0)
      throw .mismatch(
        "has no tensors for \(PyTorchWeightNames.list(missing)), which the architecture has")
    }
    if tensors.count > sources.count {
      let surplus = tensors[sources.count...].map(\.name)
      throw .mismatch(
        "has \(PyTorchWeightNames.list(surplus)), which the architecture does not have")
    }
    var rest = tensors.map(\.tensor)[...]
    return targets.map { target in
      guard isWanted(target) else { return nil }
      defer { rest.removeFirst(target.sources.count) }
      return Array(rest.prefix(target.sources.count))
    }
  }
}
