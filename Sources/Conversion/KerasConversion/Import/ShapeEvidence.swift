import Bytes
import JSON
import KerasFormat

/// What the weights of a Sequential that was never given an input shape imply about it. Sizes are
/// those after the batch axis.
struct ShapeEvidence {
  /// What is known about a shape.
  enum Shape: Hashable {
    case unknown
    /// The last size, but not how many come before it.
    case last(Int)
    /// All sizes, `nil` where any will do.
    case sizes([Int?])
  }

  /// The shape of the model's input.
  private(set) var shape: Shape
  /// The layer whose weights determine it, or the one that hides it from later weights.
  let layer: String

  /// - Parameters:
  ///   - steps: The layers before the one with the weights, the first one first.
  init(_ shape: Shape, by layer: String, after steps: [ShapeStep]) {
    self.shape = shape
    self.layer = layer
    for step in steps.reversed() { self.shape = step.input(for: self.shape) }
  }
}

extension ShapeEvidence {
  /// What a layer class implies about the shape of its input.
  enum Relation: Sendable {
    /// Nothing.
    case unknown
    /// It is the shape of the output.
    case same
    /// The sizes of the spatial axes may differ from those of the output.
    case window(axes: Int)
    /// It has spatial axes, which the output does not have.
    case pooling(axes: Int)
    /// The output has one more axis at the end.
    case embedding
    /// The output has one more axis before the only one.
    case repetition
    /// What follows from the layer as Keras 2 writes it, and from the shape of its first weight in
    /// Keras' axis order; `nil` where the weight is not as expected.
    case weight(@Sendable (KerasLayerRecord, [Int]) throws(WeighbridgeError) -> Shape?)

    /// The last size is the first of a kernel `[features, units]`.
    static let features = Relation.weight { _, kernel in
      kernel.count == 2 ? .last(kernel[0]) : nil
    }

    /// Sequences of vectors, whose size is the first one of a kernel `[features, units]`.
    static let steps = Relation.weight { _, kernel in
      kernel.count == 2 ? .sizes([nil, kernel[0]]) : nil
    }

    /// Images, or sequences of them, whose number of channels is the size of the kernel
    /// `[spatial..., in, out]` along an axis; by default the one after the spatial axes.
    static func image(
      axes: Int, channelAxis: Int? = nil, isGrouped: Bool = false, isSequence: Bool = false
    ) -> Relation {
      .weight { record, kernel in
        guard kernel.count == axes + 2 else { return nil }
        let groups = isGrouped ? record.config["groups"]?.integer ?? 1 : 1
        let (channels, overflow) = kernel[channelAxis ?? axes]
          .multipliedReportingOverflow(by: groups)
        guard !overflow else { return nil }
        let sizes = imageSizes(axes, channels: channels, record.isChannelsFirst)
        return .sizes(isSequence ? [nil] + sizes : sizes)
      }
    }

    /// The wrapped layer's shape, changed by the wrapper.
    static func wrapped(_ change: @escaping @Sendable (Shape) -> Shape) -> Relation {
      .weight { (record, kernel) throws(WeighbridgeError) in
        guard let inner = try record.inner("layer") else { return nil }
        return try Shape(inner, kernel: kernel).map(change)
      }
    }
  }

  /// Channels, and spatial axes of any size.
  fileprivate static func imageSizes(
    _ axes: Int, channels: Int?, _ isChannelsFirst: Bool
  ) -> [Int?] {
    let spatial = [Int?](repeating: nil, count: axes)
    return isChannelsFirst ? [channels] + spatial : spatial + [channels]
  }
}

/// A layer without weights whose input shape follows from its output shape.
struct ShapeStep {
  private let relation: ShapeEvidence.Relation
  private let isChannelsFirst: Bool

  /// Creates the step of a layer as Keras 2 writes it; `nil` for one that hides the shape of its
  /// input, or whose weights determine it.
  init?(_ record: KerasLayerRecord) {
    let relation = KerasMappings.classes[record.className]?.shape ?? .unknown
    switch relation {
    case .unknown, .weight: return nil
    case .same, .window, .pooling, .embedding, .repetition: self.relation = relation
    }
    isChannelsFirst = record.isChannelsFirst
  }

  /// The shape of the input, given what is known about the output's.
  func input(for output: ShapeEvidence.Shape) -> ShapeEvidence.Shape {
    switch (relation, output) {
    case (.same, _), (.unknown, _), (.weight, _): return output
    case (.window(let axes), .sizes(let sizes)) where sizes.count == axes + 1:
      return image(axes, channels: isChannelsFirst ? sizes.first ?? nil : sizes.last ?? nil)
    case (.window(let axes), .last(let channels)) where !isChannelsFirst:
      return image(axes, channels: channels)
    case (.window(let axes), _): return image(axes, channels: nil)
    case (.pooling(let axes), .last(let channels)): return image(axes, channels: channels)
    case (.pooling(let axes), .sizes(let sizes)): return image(axes, channels: sizes.last ?? nil)
    case (.pooling(let axes), .unknown): return image(axes, channels: nil)
    case (.embedding, .sizes(let sizes)) where sizes.count > 1: return .sizes(sizes.dropLast())
    case (.embedding, _): return .unknown
    case (.repetition, .last(let size)): return .sizes([size])
    case (.repetition, .sizes(let sizes)): return .sizes([sizes.last ?? nil])
    case (.repetition, .unknown): return .sizes([nil])
    }
  }

  /// A shape with channels and spatial axes of any size.
  private func image(_ axes: Int, channels: Int?) -> ShapeEvidence.Shape {
    .sizes(ShapeEvidence.imageSizes(axes, channels: channels, isChannelsFirst))
  }
}

extension ShapeEvidence.Shape {
  /// Infers the shape of a layer's input from its first weight; `nil` when that is not known for
  /// the layer's class.
  ///
  /// - Parameters:
  ///   - record: The layer as Keras 2 writes it.
  ///   - kernel: The shape of its first weight in Keras' axis order.
  init?(_ record: KerasLayerRecord, kernel: [Int]) throws(WeighbridgeError) {
    guard case .weight(let shape) = KerasMappings.classes[record.className]?.shape,
      let known = try shape(record, kernel)
    else { return nil }
    self = known
  }
}

extension KerasLayerRecord {
  fileprivate var isChannelsFirst: Bool { config["data_format"] == "channels_first" }
}
