import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[route]`, `[shortcut]`, `[scale_channels]`, `[sam]`, `[implicit]`.
enum DarknetRecoveredRouting {
  static let sections: [String: DarknetRecoveredLayer.Describe] = [
    "route": { (layer, section) throws(WeighbridgeError) in
      let slices = layer.nodes.filter { $0.operation is Slice }
      let sources = slices.isEmpty ? layer.nodes[0].inputs : slices.map { $0.inputs[0] }
      section.set("layers", try layer.list(sources))
      guard let slice = slices.first else { return }
      let range = try layer.operation(Slice.self).ranges[0]
      let (start, stop) = (range.start, range.stop)
      section.set("groups", try layer.inputShape(slice)[1] / (stop - start))
      section.set("group_id", start / (stop - start))
    },
    "shortcut": { (layer, section) throws(WeighbridgeError) in
      section.set("from", try layer.list(try layer.addends()))
      if layer.fork == .alexeyab {
        try layer.describeWeights(&section)
      } else {
        for key in ["alpha", "beta"] where layer.has(key) {
          section.set(key, try layer.operation(Rescaling.self, key).scale[0])
        }
      }
      section.set("activation", try layer.activation())
    },
    "scale_channels": { (layer, section) throws(WeighbridgeError) in
      let (_, node) = try layer.node(Multiply.self)
      let scale = try layer.inputShape(node, 1)
      section.set("from", try layer.list([node.inputs[0]]))
      section.flag("scale_wh", scale[2] > 1 || scale[3] > 1)
      section.set("activation", try layer.activation())
    },
    "sam": { (layer, section) throws(WeighbridgeError) in
      let (_, node) = try layer.node(Multiply.self)
      section.set("from", try layer.list([node.inputs[0]]))
      section.set("activation", try layer.activation())
    },
    "implicit": { (layer, section) throws(WeighbridgeError) in
      let shape = try layer.outputShape()
      section.set("filters", shape[1])
      section.set("atoms", shape[2])
    },
  ]
}

extension DarknetRecoveredLayer {
  /// The positions of the sections that made values, with commas between them.
  fileprivate func list(_ values: [ValueID]) throws(WeighbridgeError) -> String {
    var positions: [String] = []
    for value in values { positions.append(String(try section(of: value))) }
    return positions.joined(separator: ",")
  }

  /// What a shortcut adds to its input: what the section before made.
  fileprivate func addends() throws(WeighbridgeError) -> [ValueID] {
    let own = Set(nodes.flatMap(\.outputs))
    var seen: [ValueID] = []
    for id in nodes.flatMap(\.inputs) where graph[id].constant == nil && !own.contains(id) {
      if !seen.contains(id) { seen.append(id) }
    }
    let last = owners.values.max()
    let input = seen.first { owners[$0] == last }
    let others = seen.filter { $0 != input }
    return others.isEmpty ? seen : others
  }

  /// Adds the settings of a shortcut with weights.
  fileprivate func describeWeights(_ section: inout DarknetSectionText) throws(WeighbridgeError) {
    guard has("weights/reshape") else { return }
    let stored = try inputShape(try node(Reshape.self, "weights/reshape").node)
    section.set("weights_type", stored[1] == 1 ? "per_feature" : "per_channel")
    section.set("weights_normalization", has("weights/relu") ? "relu" : "softmax")
  }
}
