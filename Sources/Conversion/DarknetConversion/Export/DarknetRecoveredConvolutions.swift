import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[convolutional]`, `[deconvolutional]`, `[local]`, `[crnn]`, `[conv_lstm]`.
enum DarknetRecoveredConvolutions {
  static let sections: [String: DarknetRecoveredLayer.Describe] = [
    "convolutional": { (layer, section) throws(WeighbridgeError) in
      guard !layer.has("binarize") else {
        throw WeighbridgeError(
          .unsupported,
          "its kernel was binarized (xnor=1), and the numbers that it was made of are not there")
      }
      section.flag("batch_normalize", layer.has("batch_normalization"))
      let (convolution, node) = try layer.node(Convolution.self, "")
      section.set("filters", try layer.inputShape(node, 1)[0])
      let blur = layer.has("blur") ? try layer.operation(Convolution.self, "blur") : nil
      section.set(
        window: convolution.window, strides: blur?.window.strides, groups: convolution.groups)
      if let blur { section.set("antialiasing", blur.window.size[0] == 3 ? 1 : 2) }
      if let owner = layer.owners[node.inputs[1]] { section.set("share_index", owner) }
      section.set("activation", try layer.activation())
    },
    "deconvolutional": { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("batch_normalization"))
      let (convolution, node) = try layer.node(TransposedConvolution.self)
      section.set("filters", try layer.inputShape(node, 1)[1])
      section.set(window: convolution.window)
      section.set("activation", try layer.activation())
    },
    "local": { (layer, section) throws(WeighbridgeError) in
      let (convolution, node) = try layer.node(LocallyConnected.self)
      let kernel = try layer.inputShape(node, 1)
      section.set("filters", kernel[2])
      section.set("size", kernel[4])
      section.set("stride", convolution.strides[0])
      section.set("pad", convolution.before[0])
      section.set("activation", try layer.activation())
    },
    "crnn": { (layer, section) throws(WeighbridgeError) in
      let isPlain = layer.fork == .alexeyab
      let (input, first) = try layer.node(Convolution.self, "input")
      let (_, last) = try layer.node(Convolution.self, "output")
      section.flag("batch_normalize", layer.has("input/batch_normalization"))
      section.set(
        isPlain ? "hidden" : "hidden_filters", try layer.inputShape(first, 1)[0])
      section.set(
        isPlain ? "output" : "output_filters", try layer.inputShape(last, 1)[0])
      section.set(window: input.window, groups: input.groups)
      section.set("activation", try layer.activation("input/activation"))
    },
    "conv_lstm": { (layer, section) throws(WeighbridgeError) in
      let (input, node) = try layer.node(Convolution.self, "uf")
      section.flag("batch_normalize", layer.has("uf/batch_normalization"))
      section.set("output", try layer.inputShape(node, 1)[0])
      section.set(window: input.window, groups: input.groups)
      section.flag("peephole", layer.has("vf"))
      section.set("activation", try layer.activation("uf/activation"))
      section.set("lstm_activation", try layer.activation("cell/activation"))
    },
  ]
}

extension DarknetSectionText {
  /// Adds a window's settings: `padding` is the one of a side, and `pad` sets it to half the size.
  ///
  /// - Parameter strides: In place of the window's own, where a blur has them.
  mutating func set(window: Window, strides: [Int]? = nil, groups: Int = 1) {
    let size = window.size[0]
    set("size", size)
    set(strides: strides ?? window.strides)
    var padding = 0
    if case .explicit(let before, _) = window.padding {
      padding = before[0] / window.dilation[0]
    }
    set(convolutionPadding: padding, size: size)
    set("dilation", window.dilation[0], unless: 1)
    set("groups", groups, unless: 1)
  }

  /// Adds what is padded on each side of a convolution: half of the size is a flag.
  mutating func set(convolutionPadding padding: Int, size: Int) {
    if padding == size / 2 { flag("pad", padding > 0) } else { set("padding", padding) }
  }

  /// Adds the steps along height and width.
  mutating func set(strides: [Int]) {
    if strides[0] == strides[1] {
      set("stride", strides[0])
    } else {
      set("stride_x", strides[1])
      set("stride_y", strides[0])
    }
  }
}
