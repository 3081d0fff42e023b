import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[batchnorm]`, `[normalization]`, `[l2norm]`, `[softmax]`.
enum DarknetNormalizations {
  static let sections: [String: DarknetSectionForm] = [
    "batchnorm": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        try layer.checkLoading()
        let channels = try layer.image(layer.input).channels
        let beta = try layer.weight("beta", shape: [channels])
        let statistics = try layer.statistics("", count: channels)
        return try layer.normalized(layer.input, statistics, beta: beta, role: "")
      }),
    "normalization": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let size = try layer.integer("size", default: 5, in: 1...1 << 16)
        let alpha = try layer.double("alpha", default: 0.0001)
        let beta = try layer.double("beta", default: 0.75)
        let kappa = try layer.double("kappa", default: 1)
        _ = try layer.image(layer.input)
        return try layer.add(
          LocalResponseNormalization(
            axis: 1, before: (size - 1) / 2, after: size / 2, alpha: alpha, beta: beta, bias: kappa,
            omitted: size / 2), [layer.input])
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        let operation = try layer.operation(LocalResponseNormalization.self)
        section.set("size", operation.before + operation.after + 1)
        section.set("alpha", operation.alpha)
        section.set("beta", operation.beta)
        section.set("kappa", operation.bias)
      }),
    "l2norm": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        _ = try layer.image(layer.input)
        return try layer.add(UnitNormalization(axes: [1]), [layer.input])
      }),
    "softmax": DarknetSectionForm(build: softmax) { (layer, section) throws(WeighbridgeError) in
      if layer.nodes.contains(where: { $0.operation is GroupedSoftmax }) {
        throw DarknetRecoveredLayer.tree
      }
      if layer.has("scale") {
        section.set("temperature", 1 / (try layer.operation(Rescaling.self).scale[0]))
      }
      if layer.has("split") {
        section.set("groups", try layer.operation(Reshape.self, "split").target[0])
      } else if try layer.operation(Softmax.self).axes == [1], layer.has("softmax") {
        section.set("spatial", 1)
      }
    },
  ]

  private static let softmax: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let groups = try layer.integer("groups", default: 1, in: 1...1 << 24)
    let temperature = try layer.double("temperature", default: 1)
    let isSpatial = try layer.flag("spatial")
    let tree = try layer.tree()
    guard temperature != 0 else {
      throw layer.malformed("has temperature=0, by which the input would be divided")
    }
    let count = try layer.count(of: layer.input)
    var value = layer.input
    if temperature != 1 { value = try layer.scaled(value, by: 1 / temperature, role: "scale") }
    if let tree {
      value = try layer.flattened(value)
      return try layer.add(GroupedSoftmax(axis: 1, sizes: tree.groupSizes), [value])
    }
    if isSpatial, layer.shape(of: value).count == 4 {
      layer.decide(
        "spatial=1: the channels of each place, as on a graphics processor (on a processor "
          + "darknet forgets the setting)")
      value = try layer.add(Softmax(axes: [1]), [value], role: "softmax")
      return try layer.add(Reshape(target: [-1]), [value])
    }
    guard count % groups == 0 else {
      throw layer.malformed("\(count) numbers cannot be put in groups=\(groups)")
    }
    if groups == 1 {
      value = try layer.flattened(value)
      return try layer.add(Softmax(axes: [1]), [value])
    }
    value = try layer.add(Reshape(target: [groups, count / groups]), [value], role: "split")
    value = try layer.add(Softmax(axes: [2]), [value], role: "softmax")
    return try layer.add(Reshape(target: [count]), [value])
  }
}

extension DarknetLayer {
  /// Reads the tree of classes in the file that `tree` names.
  mutating func tree() throws(WeighbridgeError) -> DarknetTree? {
    guard let path = try string("tree") else { return nil }
    if let tree = try network.tree(path) { return tree }
    decide("the tree \(path) is not there: its classes count as one group")
    return nil
  }
}
