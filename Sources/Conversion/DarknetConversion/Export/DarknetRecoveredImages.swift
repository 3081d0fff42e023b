import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The poolings, `[normalization]`, `[upsample]`, `[reorg]`, `[reorg3d]`, `[crop]`, `[history]`.
enum DarknetRecoveredImages {
  static let sections: [String: DarknetRecoveredLayer.Describe] = [
    "maxpool": { (layer, section) throws(WeighbridgeError) in
      guard !layer.has("group") else {
        section.set("maxpool_depth", 1)
        section.set("out_channels", try layer.operation(Reshape.self, "group").target[1])
        return
      }
      let window = try layer.operation(MaxPooling.self).window
      let blur = layer.has("blur") ? try layer.operation(Convolution.self, "blur") : nil
      section.set(pooling: window, strides: blur?.window.strides)
      if let blur { section.set("antialiasing", blur.window.size[0] == 3 ? 1 : 2) }
    },
    "local_avgpool": { (layer, section) throws(WeighbridgeError) in
      section.set(pooling: try layer.operation(AveragePooling.self).window)
    },
    "normalization": { (layer, section) throws(WeighbridgeError) in
      let operation = try layer.operation(LocalResponseNormalization.self)
      section.set("size", operation.before + operation.after + 1)
      section.set("alpha", operation.alpha)
      section.set("beta", operation.beta)
      section.set("kappa", operation.bias)
    },
    "upsample": { (layer, section) throws(WeighbridgeError) in
      let scale = layer.has("scale") ? try layer.operation(Rescaling.self).scale[0] : 1
      guard layer.nodes[0].operation is AveragePooling else {
        section.set("stride", try layer.operation(Upsampling.self).factors[0])
        section.set("scale", scale, unless: 1)
        return
      }
      let size = try layer.operation(AveragePooling.self).window.size[0]
      section.set("stride", -size)
      section.set("scale", scale / Double(size * size), unless: 1)
    },
    "reorg": { (layer, section) throws(WeighbridgeError) in
      if let padding = layer.nodes.last?.operation as? Pad {
        return section.set("extra", padding.after[1])
      }
      let target = try layer.operation(Reshape.self, "split").target
      let isReverse = try layer.operation(Transpose.self).axes == [0, 3, 4, 1, 5, 2]
      section.set("stride", target[isReverse ? 0 : 2])
      section.flag("reverse", isReverse)
    },
    "reorg3d": { (layer, section) throws(WeighbridgeError) in
      section.set("stride", try layer.operation(Reshape.self, "split").target[2])
    },
    "crop": { (layer, section) throws(WeighbridgeError) in
      let shape = try layer.outputShape()
      section.set("crop_height", shape[2])
      section.set("crop_width", shape[3])
      section.flag("noadjust", !layer.has("rescale"))
    },
    "history": { (layer, section) throws(WeighbridgeError) in
      section.set("history_size", layer.nodes.last?.inputs.count ?? 1)
    },
  ]
}

extension DarknetSectionText {
  /// Adds a pooling's settings: `padding` is the amount on both sides together.
  mutating func set(pooling window: Window, strides: [Int]? = nil) {
    set("size", window.size[0])
    set(strides: strides ?? window.strides)
    guard case .explicit(let before, let after) = window.padding else { return }
    set("padding", before[0] + after[0], unless: window.size[0] - 1)
  }
}
