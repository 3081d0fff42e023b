import Bytes
import ConversionCore
import GraphIR

/// The tensors of a file that weights are made of, each found by its name, or all by their order.
struct PyTorchFoundTensors {
  typealias Tensors = [(name: String, tensor: Tensor)]

  typealias Parts = (form: PyTorchTarget.Form, tensors: [Tensor])

  /// The tensors for each weight; `nil` for a constant that the file does not have.
  let parts: [Parts?]
  /// By which rule they were found, as a sentence.
  let decision: String

  /// - Throws: ``WeighbridgeError/Code/mismatch``, which lists what remains.
  init(
    _ tensors: Tensors, _ targets: [PyTorchTarget], of content: ModelContent
  ) throws(WeighbridgeError) {
    let named = Self.byName(tensors, targets)
    let isNamed = named.missing.isEmpty && named.unused.isEmpty
    // A module computes in float32 what a model has in other types, and may have rounded its weights.
    let isRounded = content.graph.values.contains {
      $0.type.elementType.isFloat && $0.type.elementType != .float32
    }
    if !isNamed || isRounded,
      let state = PyTorchExportedState(tensors, of: content, isNamed: true)
    {
      (parts, decision) = try Self.parts(state, targets)
      return
    }
    if isNamed {
      (parts, decision) = (named.parts, "the weights were found by their names")
      return
    }
    let isComplete =
      targets.reduce(0) { $0 + ($1.name.isEmpty ? 0 : $1.form.sources.count) } == tensors.count
    do throws(WeighbridgeError) {
      parts = try Self.inOrder(
        isComplete ? tensors : tensors.filter { !Self.isConstant($0.name) }, targets,
        withConstants: isComplete)
    } catch {
      if let state = PyTorchExportedState(tensors, of: content, isNamed: false) {
        (parts, decision) = try Self.parts(state, targets)
        return
      }
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

  /// The weights that are found in the state of the exported module.
  private static func parts(
    _ state: PyTorchExportedState, _ targets: [PyTorchTarget]
  ) throws(WeighbridgeError) -> (parts: [Parts?], decision: String) {
    let weights = try state.weights(
      constants: Set(targets.filter(\.isConstant).map(\.name)))
    let parts = targets.map { target in
      weights[target.name].map { (PyTorchTarget.Form(sources: []) { $0[0] }, [$0]) }
    }
    return (parts, "the weights were found as the exported module has them")
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

  /// Whether a tensor is a constant, which a module may have in another type.
  private static func isSame(_ constant: Tensor, _ tensor: Tensor) -> Bool {
    zip(constant.doubles, tensor.doubles).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
  }

  /// The tensors by name, each for one weight only; names that two tensors have are not used.
  private static func byName(
    _ tensors: Tensors, _ targets: [PyTorchTarget]
  ) -> (parts: [Parts?], missing: [String], unused: [String]) {
    let known = Dictionary(grouping: tensors.indices) { normalized(tensors[$0].name) }
    var (parts, used) = ([Parts?](repeating: nil, count: targets.count), Set<Int>())
    /// Finds what is still missing, by the names of one rank.
    func find(_ rank: Int) {
      for (index, target) in targets.enumerated() where parts[index] == nil {
        let positions = target.form.sources.compactMap { source -> Int? in
          var names = source.layers.map { normalized($0, source.role) }
          if !target.name.isEmpty {
            names.insert(normalized(target.name), at: min(1, names.count))
          }
          guard rank < names.count, let found = known[names[rank]], found.count == 1,
            !used.contains(found[0]),
            source.shape == nil
              || withoutOnes(tensors[found[0]].tensor.shape) == withoutOnes(source.shape),
            target.constant.map({ isSame($0, tensors[found[0]].tensor) }) ?? true
          else { return nil }
          return found[0]
        }
        guard positions.count == target.form.sources.count, Set(positions).count == positions.count
        else {
          continue
        }
        used.formUnion(positions)
        parts[index] = (
          target.form, target.constant.map { [$0] } ?? positions.map { tensors[$0].tensor }
        )
      }
    }
    let rankCount = targets.flatMap(\.form.sources).map(\.layers.count).max() ?? 0
    for rank in 0...rankCount { find(rank) }
    let missing = zip(targets, parts).filter { !$0.isConstant && $1 == nil }.map(\.0.name)
    let unused = tensors.indices.filter { !used.contains($0) }.map { tensors[$0].name }
      .filter { !isConstant($0) }
    return (parts, missing, unused)
  }

  /// The tensors in their order.
  ///
  /// - Parameter withConstants: Whether the file has the constants, too.
  private static func inOrder(
    _ tensors: Tensors, _ targets: [PyTorchTarget], withConstants: Bool
  ) throws(WeighbridgeError) -> [Parts?] {
    let isWanted = { (target: PyTorchTarget) in
      !target.name.isEmpty && (withConstants || !target.isConstant)
    }
    let sources = targets.filter(isWanted).flatMap { target in
      target.form.sources.map { (target.name, $0) }
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
      let count = target.form.sources.count
      defer { rest.removeFirst(count) }
      return (target.form, Array(rest.prefix(count)))
    }
  }
}
