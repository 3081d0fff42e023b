import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The graph of a Core ML model under construction, with the tensors that layers refer to.
struct CoreMLGraph: SourceNetwork {
  var graph = GraphBuilder()
  /// The tensors that layers can take, by name.
  var blobs: [String: CoreMLBlob] = [:]
  /// Optional inputs, which are left out.
  var omitted: Set<String> = []
  var decisions: [Provenance.Decision] = []
  /// Tensors that were already converted to other axes.
  private var turned: [Turn: ValueID] = [:]

  private struct Turn: Hashable {
    let value: ValueID
    let axes: [CoreMLAxis]
    let wanted: [CoreMLAxis]
  }

  /// Returns a tensor with certain axes in a certain order, adding and removing axes of size 1.
  ///
  /// - Parameters:
  ///   - wanted: The axes.
  ///   - source: The layer that needs it, to which new nodes are attributed.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when an axis that is not wanted has more than one
  ///   element.
  mutating func value(
    _ blob: CoreMLBlob, _ wanted: [CoreMLAxis], for source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    if blob.axes == wanted { return blob.value }
    let turn = Turn(value: blob.value, axes: blob.axes, wanted: wanted)
    if let value = turned[turn] { return value }
    var (value, axes) = (blob.value, blob.axes)
    let surplus = axes.indices.filter { !wanted.contains(axes[$0]) }
    if !surplus.isEmpty {
      value = try add(Squeeze(axes: surplus), [value], source)
      axes.removeAll { !wanted.contains($0) }
    }
    let order = wanted.compactMap { axes.firstIndex(of: $0) }
    if order != Array(axes.indices) {
      value = try add(Transpose(axes: order), [value], source)
      axes = order.map { axes[$0] }
    }
    let missing = wanted.indices.filter { !axes.contains(wanted[$0]) }
    if !missing.isEmpty { value = try add(ExpandDims(axes: missing), [value], source) }
    turned[turn] = value
    return value
  }

  private mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    try graph.addNode(operation, inputs: inputs, source: source.role(operation.kind))[0]
  }
}
