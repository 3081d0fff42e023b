package import Bytes
package import GraphIR

/// Finds the weights of a graph among the tensors of a PyTorch module.
///
/// The rules, of which the first that fits all tensors holds:
/// 1. The names given by the user.
/// 2. Equal names, with the usual endings: `conv2d_1.weight` is the kernel of the layer `conv2d_1`;
///    whatever separates the parts of a name.
/// 3. The order of the file, if endings and shapes agree from the first tensor to the last.
/// Each tensor is used once, except `num_batches_tracked`, which only training needs, and what the
/// method of an exported module decodes boxes with.
package struct PyTorchWeightNames: Sendable {
  private typealias Key = PyTorchTarget.Source

  /// The weights, under the names of the graph.
  package private(set) var weights: [(name: String, tensor: Tensor)] = []
  /// By which rule they were found, as a sentence.
  package let decision: String

  /// - Parameters:
  ///   - tensors: Those of the file, in its order.
  ///   - names: For names of tensors, those of the graph's weights.
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which lists what remains.
  package init(
    _ tensors: [(name: String, tensor: Tensor)], of graph: Graph, names: [String: String]
  ) throws(WeighbridgeError) {
    let tensors = tensors.filter {
      !$0.name.hasSuffix("num_batches_tracked") && !$0.name.contains("_decoding_")
    }
    var targets = PyTorchTarget.all(of: graph)
    var remaining: [(name: String, tensor: Tensor)] = []
    for tensor in tensors {
      guard let name = names[tensor.name] else {
        remaining.append(tensor)
        continue
      }
      guard let position = targets.firstIndex(where: { $0.name == name }) else {
        throw .mismatch(
          "is to become \(name), which is no weight of the architecture or becomes one twice"
        ).at(.path(tensor.name))
      }
      targets.remove(at: position)
      weights.append((name, tensor.tensor))
    }
    if let unknown = names.keys.sorted().first(where: { name in
      !tensors.contains { $0.name == name }
    }) {
      throw .mismatch("has no tensor \(unknown), which the given names have")
    }
    let rest = try Self.found(targets, remaining)
    weights += rest.weights
    let types = Dictionary(graph.weights.map { ($0.name, $0.tensor.elementType) }) { first, _ in
      first
    }
    weights = weights.map { name, tensor in
      (name, types[name].flatMap { Self.narrowed(tensor, to: $0) } ?? tensor)
    }
    decision =
      names.isEmpty ? rest.decision : "weights have the given names; others: \(rest.decision)"
  }

  /// A tensor in a narrower type of floating-point numbers, in which a module computes in float32; `nil`
  /// if it has other numbers.
  private static func narrowed(_ tensor: Tensor, to type: ElementType) -> Tensor? {
    guard type.isFloat, type != tensor.elementType, type.byteCount < tensor.elementType.byteCount
    else { return nil }
    let elements = tensor.doubles
    let narrow = Tensor(type, shape: tensor.shape, elements)
    return narrow.doubles == elements ? narrow : nil
  }

  private static func found(
    _ targets: [PyTorchTarget], _ tensors: [(name: String, tensor: Tensor)]
  ) throws(WeighbridgeError) -> (weights: [(name: String, tensor: Tensor)], decision: String) {
    let sources = targets.flatMap { target in target.sources.map { (target.name, $0) } }
    let found: [Key: Tensor]
    let decision: String
    if let named = byName(sources, tensors) {
      (found, decision) = (named, "the weights were found by their names")
    } else {
      found = try inOrder(sources, tensors)
      decision =
        "the weights were found by their order in the file, in which all endings and shapes agree"
    }
    var weights: [(name: String, tensor: Tensor)] = []
    for target in targets {
      let parts = target.sources.compactMap { found[$0] }
      do throws(WeighbridgeError) {
        weights.append((target.name, try target.make(parts)))
      } catch { throw error.at(.path(target.name)) }
    }
    return (weights, decision)
  }

  /// A name in which all that separates its parts is equal.
  private static func normalized(_ name: String) -> String {
    PythonNames.identifier(name).lowercased()
  }

  /// The sizes by which an order of axes is known.
  private static func withoutOnes(_ shape: [Int]) -> [Int] { shape.filter { $0 != 1 } }

  /// The tensors by name; `nil` if one is missing or left.
  private static func byName(
    _ sources: [(weight: String, source: Key)], _ tensors: [(name: String, tensor: Tensor)]
  ) -> [Key: Tensor]? {
    guard sources.count == tensors.count else { return nil }
    let known = Dictionary(tensors.map { (normalized($0.name), $0.tensor) }) { first, _ in first }
    guard known.count == tensors.count else { return nil }
    var found: [Key: Tensor] = [:]
    for (weight, source) in sources {
      let candidates = [normalized("\(source.layer)/\(source.role)"), normalized(weight)]
      guard let tensor = candidates.lazy.compactMap({ known[$0] }).first,
        withoutOnes(tensor.shape) == withoutOnes(source.shape)
      else { return nil }
      found[source] = tensor
    }
    return found.count == sources.count ? found : nil
  }

  /// The tensors in their order.
  private static func inOrder(
    _ sources: [(weight: String, source: Key)], _ tensors: [(name: String, tensor: Tensor)]
  ) throws(WeighbridgeError) -> [Key: Tensor] {
    var found: [Key: Tensor] = [:]
    for (position, (pair, tensor)) in zip(sources, tensors).enumerated() {
      let source = pair.source
      let ending = tensor.name.split(separator: ".").last.map(String.init) ?? tensor.name
      guard tensor.tensor.shape == source.shape, source.role.isEmpty || ending == source.role
      else {
        throw .mismatch(
          "is \(tensor.tensor.shape), and in the order of the architecture the weight \(pair.weight) "
            + "follows, which is \(source.role) \(source.shape); what was found before it: "
            + "\(position) of \(sources.count); give the names (\(APIName.weightNames))"
        ).at(.path(tensor.name))
      }
      found[source] = tensor.tensor
    }
    if sources.count > tensors.count {
      let missing = sources[tensors.count...].map(\.weight)
      throw .mismatch("has no tensors for \(list(missing)), which the architecture has")
    }
    if tensors.count > sources.count {
      let surplus = tensors[sources.count...].map(\.name)
      throw .mismatch("has \(list(surplus)), which the architecture does not have")
    }
    return found
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count > 8 ? " and \((names.count - 8).counted("other"))" : ""
    return names.prefix(8).joined(separator: ", ") + more
  }
}
