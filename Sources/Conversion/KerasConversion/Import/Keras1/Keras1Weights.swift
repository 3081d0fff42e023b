import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The layout of a Keras 1 layer class's weights, as far as it differs from Keras 2.
enum Keras1Weights: Hashable, Sendable {
  /// As in Keras 2.
  case unchanged
  /// Kernels over image axes: `[out, in, spatial...]` with the ordering `th`, which becomes
  /// `[spatial..., in, out]`.
  case kernels(axes: Int)
  /// Kernels over one axis: `[length, 1, in, out]`, up to 1.0.8 `[out, in, length, 1]`.
  case flatKernels
  /// Kernels before biases; some versions write each kernel next to its bias.
  case kernelsFirst
  /// A kernel, a recurrent kernel and a bias for each gate, which are joined into one each, with
  /// the gates in the order of Keras 2. Kernels over image axes are converted as above.
  case gates([Int], axes: Int)
  /// The last weight is a standard deviation, and becomes (deviation + epsilon)².
  case deviations(epsilon: Double)
  /// The weights of the wrapped layer.
  case inner
  /// The weights of the wrapped layer twice: forward and backward.
  case both
}

extension Keras1Dialect {
  /// Returns the weights of a layer in the layout of Keras 2.
  ///
  /// Weights of an unexpected shape or number stay as they are, for the layer's mapping to refuse.
  func weights(
    _ weights: [KerasLayer.Weight], of record: KerasLayerRecord
  ) throws(WeighbridgeError) -> [KerasLayer.Weight] {
    guard let entry = try Keras1Class.entry(record, writer) else { return weights }
    switch entry.weights {
    case .unchanged: return weights
    case .kernels(let axes):
      guard try isChannelsFirst(record) else { return weights }
      return weights.map { $0.mapped { Self.channelsLast($0, axes: axes) } }
    case .flatKernels: return weights.map { $0.mapped { flatKernel($0, record) } }
    case .kernelsFirst:
      return weights.filter { $0.tensor.shape.count == 2 }
        + weights.filter { $0.tensor.shape.count != 2 }
    case .gates(let order, let axes):
      let transposed =
        try isChannelsFirst(record)
        ? weights.map { $0.mapped { Self.channelsLast($0, axes: axes) } } : weights
      return try Self.joined(transposed, gates: order)
    case .deviations(let epsilon):
      guard weights.count == 4 else { return weights }
      return weights[..<3] + [weights[3].mapped { Self.variance($0, epsilon) }]
    case .inner:
      return try record.inner("layer").map { (inner) throws(WeighbridgeError) in
        try self.weights(weights, of: inner)
      } ?? weights
    case .both:
      guard let inner = try record.inner("layer"), weights.count % 2 == 0 else { return weights }
      let half = weights.count / 2
      return try self.weights(Array(weights[..<half]), of: inner)
        + self.weights(Array(weights[half...]), of: inner)
    }
  }

  /// The number of the file's weights that make up one of Keras 2.
  func parts(of record: KerasLayerRecord) throws(WeighbridgeError) -> Int {
    switch try Keras1Class.entry(record, writer)?.weights {
    case .gates(let order, _)?: return Self.isFused(record) ? 1 : order.count
    case .inner?, .both?: return try record.inner("layer").map(parts) ?? 1
    default: return 1
    }
  }

  /// Whether a recurrent layer has one kernel for all gates.
  private static func isFused(_ record: KerasLayerRecord) -> Bool {
    record.config["consume_less"]?.string == "gpu"
  }

  private func isChannelsFirst(_ record: KerasLayerRecord) throws(WeighbridgeError) -> Bool {
    try form(of: record).record.config["data_format"]?.string == "channels_first"
  }

  /// `[out, in, spatial...]` as `[spatial..., in, out]`.
  private static func channelsLast(_ kernel: Tensor, axes: Int) -> Tensor {
    guard kernel.shape.count == axes + 2 else { return kernel }
    return kernel.permuted(Array(2..<axes + 2) + [1, 0])
  }

  private func flatKernel(_ kernel: Tensor, _ record: KerasLayerRecord) -> Tensor {
    let shape = kernel.shape
    guard shape.count == 4 else { return kernel }
    let length = record.config["filter_length"]?.integer
    let filters = record.config["nb_filter"]?.integer
    let isOld = shape[0] == filters && shape[2] == length && shape[3] == 1
    let isNew = shape[0] == length && shape[1] == 1 && shape[3] == filters
    // Where the shape fits both, the version decides.
    if isOld, !isNew || writer.version < KerasVersion(1, 1) {
      return kernel.permuted([2, 3, 1, 0]).reshaped([shape[2], shape[1], shape[0]])
    }
    return isNew ? kernel.reshaped([shape[0], shape[2], shape[3]]) : kernel
  }

  /// Joins the weights of the gates along their last axes.
  private static func joined(
    _ weights: [KerasLayer.Weight], gates order: [Int]
  ) throws(WeighbridgeError) -> [KerasLayer.Weight] {
    guard weights.count == 3 * order.count else { return weights }
    var result: [KerasLayer.Weight] = []
    for part in 0..<3 {
      let gates = order.map { weights[3 * $0 + part] }
      guard let tensor = Tensor(joining: gates.map(\.tensor)) else {
        throw .malformed(
          "the gates' weights have the shapes \(gates.map(\.tensor.shape)), "
            + "which must be equal"
        )
        .at(.path(gates[0].path))
      }
      result.append(KerasLayer.Weight(path: gates[0].path, tensor: tensor))
    }
    return result
  }

  private static func variance(_ deviations: Tensor, _ epsilon: Double) -> Tensor {
    let variances = deviations.doubles.map { ($0 + epsilon) * ($0 + epsilon) }
    return Tensor(deviations.elementType, shape: deviations.shape, variances)
  }
}

extension KerasLayer.Weight {
  fileprivate func mapped(_ transform: (Tensor) -> Tensor) -> Self {
    Self(path: path, tensor: transform(tensor))
  }
}

extension Tensor {
  /// Concatenates tensors along the last axis; `nil` when their types differ. Copies the elements.
  fileprivate init?(joining tensors: [Tensor]) {
    guard let first = tensors.first, let last = first.shape.indices.last,
      tensors.allSatisfy({ $0.type == first.type })
    else { return nil }
    // With the last axis first, the elements are consecutive.
    let lastAxisFirst = [last] + Array(0..<last)
    let numbers = tensors.flatMap { $0.permuted(lastAxisFirst).doubles }
    let shape = [first.shape[last] * tensors.count] + first.shape[..<last]
    self = Tensor(first.elementType, shape: shape, numbers)
      .permuted(Array(1..<first.shape.count) + [0])
  }
}
