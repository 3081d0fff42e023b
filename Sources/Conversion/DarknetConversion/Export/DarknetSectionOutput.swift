import ConversionCore
import GraphIR
import LayerCatalog

/// The output of a section, or the network's input, as later sections take it.
struct DarknetSectionOutput {
  /// The section that produces it; -1 for the network's input.
  var section: Int
  /// Its shape in darknet, without the batch axis.
  var shape: [Int]
  /// The axis order of the image in the model; for a row, that of the image that was flattened.
  var layout: DataLayout
  /// The padding around it, which the next convolution must apply.
  var padding: Borders?

  /// Whether its elements have the same order in the model and in darknet.
  var hasDarknetOrder: Bool { layout == .channelsFirst || shape.dropFirst().allSatisfy { $0 == 1 } }

  /// Whether its shape is that of a type in the model, apart from the order of the image axes.
  func agrees(with type: TensorType) -> Bool {
    let dimensions = type.shape.dropFirst().compactMap(\.value)
    guard type.rank == 4, shape.count == 3, dimensions.count == 3 else {
      return dimensions.reduce(1, *) == shape.reduce(1, *)
    }
    return layout == .channelsFirst
      ? shape == dimensions : shape == [dimensions[2], dimensions[0], dimensions[1]]
  }
}

/// A tensor of the model: the output of a section, or a weight.
struct DarknetValue: ExportValue {
  let type: TensorType
  let name: String
  let constant: Tensor?
  /// The section's output; `nil` for a weight.
  let output: DarknetSectionOutput?

  init(_ output: DarknetSectionOutput, _ type: TensorType) {
    (self.output, self.type, name, constant) = (output, type, "", nil)
  }

  private init(_ tensor: Tensor, named name: String) {
    (constant, type, self.name, output) = (tensor, tensor.type, name, nil)
  }

  static func weight(_ tensor: Tensor, named name: String) -> DarknetValue {
    DarknetValue(tensor, named: name)
  }
}
