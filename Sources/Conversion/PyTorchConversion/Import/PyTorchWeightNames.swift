package import Bytes
package import GraphIR

/// Finds the weights of a graph among the tensors of a PyTorch module.
///
/// The rules, of which the first that fits all tensors holds:
/// 1. The names given by the user.
/// 2. Equal names, with the usual endings: `conv2d_1.weight` is the kernel of the layer `conv2d_1`;
///    whatever separates the parts of a name, and without the operator at the end of a name of ONNX.
/// 3. The names and shapes, or the order, of the module that is exported of the architecture: what has become of a
///    weight there follows from the exporter.
/// 4. The order of the file, if endings and shapes agree from the first tensor to the last.
/// A constant that a module may have as a number in its code stays as it is in the architecture. Each
/// tensor is used once, except `num_batches_tracked`, which only training needs, what the method of an
/// exported module decodes boxes with, and what such a module calls a constant.
package struct PyTorchWeightNames: Sendable {
  /// The weights, under the names of the graph.
  package private(set) var weights: [(name: String, tensor: Tensor)] = []
  /// By which rule they were found, as a sentence.
  package let decision: String

  /// - Parameters:
  ///   - tensors: Those of the file, in its order.
  ///   - names: For names of tensors, those of the graph's weights.
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which lists what remains.
  package init(
    _ tensors: [(name: String, tensor: Tensor)], of content: ModelContent, names: [String: String]
  ) throws(WeighbridgeError) {
    let tensors = Self.weights(among: tensors)
    let graph = content.graph
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
    let rest = try PyTorchFoundTensors(remaining, targets, of: content)
    var decision =
      names.isEmpty ? rest.decision : "weights have the given names; others: \(rest.decision)"
    var kept: [String] = []
    for (target, parts) in zip(targets, rest.parts) {
      guard let parts else {
        if !target.name.isEmpty { kept.append(target.name) }
        continue
      }
      do throws(WeighbridgeError) {
        let weight = try parts.form.make(parts.tensors)
        if !target.name.isEmpty { weights.append((target.name, weight)) }
      } catch { throw target.name.isEmpty ? error : error.at(.path(target.name)) }
    }
    if !kept.isEmpty { decision += "; as in the architecture: \(Self.list(kept))" }
    self.decision = decision
    let originals = Dictionary(graph.weights.map { ($0.name, $0.tensor) }) { first, _ in first }
    weights = weights.map { name, tensor in
      (name, originals[name].flatMap { Self.narrowed(tensor, to: $0.elementType) } ?? tensor)
    }
    weights += kept.compactMap { name in originals[name].map { (name, $0) } }
  }

  /// The tensors without those that only training needs, and those that boxes are decoded with.
  static func weights(
    among tensors: [(name: String, tensor: Tensor)]
  ) -> [(name: String, tensor: Tensor)] {
    tensors.filter {
      !$0.name.hasSuffix("num_batches_tracked") && !$0.name.contains("_decoding_")
    }
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

  static func list(_ names: [String]) -> String {
    let more = names.count > 8 ? " and \((names.count - 8).counted("other"))" : ""
    return names.prefix(8).joined(separator: ", ") + more
  }
}
