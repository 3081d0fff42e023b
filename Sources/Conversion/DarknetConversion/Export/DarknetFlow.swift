import ConversionCore
import GraphIR
import LayerCatalog

/// The output of a section as later sections see it.
struct DarknetFlow {
  /// The section that produces it; -1 for the network's input.
  var section: Int
  /// darknet's sizes without the batch axis.
  var shape: [Int]
  /// The model's axis order for it: that of its image axes, or of those that were flattened into a
  /// row.
  var layout: DataLayout
  /// The padding around it, for the convolution that takes it.
  var padding: Borders?

  /// Whether the model's order of the elements is also darknet's.
  var isInOrder: Bool { layout == .channelsFirst || shape.dropFirst().allSatisfy { $0 == 1 } }

  /// Whether these sizes are those of the model, up to the order of the image axes.
  func agrees(with type: TensorType) -> Bool {
    let wanted = type.shape.dropFirst().compactMap(\.value)
    guard type.rank == 4, shape.count == 3, wanted.count == 3 else {
      return wanted.reduce(1, *) == shape.reduce(1, *)
    }
    return shape == (layout == .channelsFirst ? wanted : [wanted[2], wanted[0], wanted[1]])
  }
}

/// A tensor of the model: the output of a section, or a weight.
struct DarknetValue: ExportValue {
  let type: TensorType
  let name: String
  let constant: Tensor?
  /// `nil` for a weight.
  let flow: DarknetFlow?

  init(_ flow: DarknetFlow, _ type: TensorType) {
    (self.flow, self.type, name, constant) = (flow, type, "", nil)
  }

  private init(_ tensor: Tensor, named name: String) {
    (constant, type, self.name, flow) = (tensor, tensor.type, name, nil)
  }

  static func weight(_ tensor: Tensor, named name: String) -> DarknetValue {
    DarknetValue(tensor, named: name)
  }
}
