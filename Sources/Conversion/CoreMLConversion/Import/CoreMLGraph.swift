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
  /// Optional inputs, which are omitted.
  var omitted: Set<String> = []
  var decisions: [Provenance.Decision] = []
  /// Tensors that were already converted to other axes.
  private var converted: [Conversion: ValueID] = [:]

  private struct Conversion: Hashable {
    let value: ValueID
    let axes: [CoreMLAxis]
    let target: [CoreMLAxis]
  }

  /// Returns a tensor with certain axes in a certain order, adding and removing axes of size 1.
  ///
  /// - Parameters:
  ///   - target: The axes.
  ///   - source: The layer that needs it, to which new nodes are attributed.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when an axis that is not in `target` has more
  ///   than one element.
  mutating func value(
    _ blob: CoreMLBlob, _ target: [CoreMLAxis], for source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    if blob.axes == target { return blob.value }
    let conversion = Conversion(value: blob.value, axes: blob.axes, target: target)
    if let value = converted[conversion] { return value }
    var (value, axes) = (blob.value, blob.axes)
    let surplus = axes.indices.filter { !target.contains(axes[$0]) }
    if !surplus.isEmpty {
      value = try add(Squeeze(axes: surplus), [value], source)
      axes.removeAll { !target.contains($0) }
    }
    let order = target.compactMap { axes.firstIndex(of: $0) }
    if order != Array(axes.indices) {
      value = try add(Transpose(axes: order), [value], source)
      axes = order.map { axes[$0] }
    }
    let missing = target.indices.filter { !axes.contains(target[$0]) }
    if !missing.isEmpty { value = try add(ExpandDims(axes: missing), [value], source) }
    converted[conversion] = value
    return value
  }

  private mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], _ source: SourceScope
  ) throws(WeighbridgeError) -> ValueID {
    try graph.addNode(operation, inputs: inputs, source: source.withRole(operation.kind))[0]
  }
}
