import COneDNN
import GraphIR
import LayerCatalog

/// A convolution in several, each of some of the input's channels, that add up in the target.
///
/// The library's kernels run through all weights once for each row of the output. Where these do not
/// stay in the cache, it is the memory that limits: on 13 x 13 elements with 1024 channels, eight
/// parts take 0.6 times as long as one.
struct SplitConvolution {
  /// The source with the graph's axes.
  private let source: Layout
  /// The target likewise.
  private let target: Layout
  /// The layout of a part's weights.
  private let weights: Layout
  /// How many channels a part has.
  private let channels: Int
  /// The parts' primitives: the first, those in the middle, and the last.
  private let first, middle, last: Primitive

  /// So many bytes of weights stay in the cache.
  private static let cacheSize = 5 << 20

  /// - Returns: `nil` when the convolution need not be split, or cannot be by a fast kernel.
  init?(
    _ group: NodeGroup, _ builder: PlanBuilder, _ order: SpatialOrder, _ kernel: Tensor,
    _ window: WindowArguments, _ folded: FoldedWeights
  ) {
    guard let channels = Self.channels(kernel, order),
      builder.rowMajorLayout(of: group.inputs[0]) != nil,
      let post = Self.postOperations(group),
      let source = Layout.blocked(order.extents.source),
      let target = Layout.blocked(order.extents.target)
    else { return nil }
    var part = order.extents.source
    part[1] = channels
    guard let partSource = Layout.blocked(part),
      let weights = Layout.any([kernel.shape[0], channels] + kernel.shape.dropFirst(2))
    else { return nil }
    func make(_ operations: [PostOperation], bias: Layout?) -> Primitive? {
      Primitive(
        owning: operations.withOperations { post in
          window.withArguments {
            onednn_convolution(
              partSource.handle, weights.handle, bias?.handle, target.handle, $0, post, false)
          }
        })
    }
    let bias = folded.bias.flatMap { Layout.rowMajor([$0.count]) }
    guard let first = make(post.first, bias: bias), let middle = make([.sum], bias: nil),
      let last = make(post.last, bias: nil), !first.name.hasPrefix("ref"),
      let graphSource = order.restore(source, shape: []),
      let graphTarget = order.restore(target, shape: []),
      let partWeights = first.layout(onednn_role_weights),
      [middle, last].allSatisfy({
        $0.layout(onednn_role_weights).map(partWeights.isSame) ?? false
      })
    else { return nil }
    self.weights = partWeights
    (self.first, self.middle, self.last) = (first, middle, last)
    (self.source, self.target, self.channels) = (graphSource, graphTarget, channels)
  }

  /// How many channels a part has; `nil` when there would be one part, or the channels of one picture
  /// are not in whole blocks one behind the other.
  private static func channels(_ kernel: Tensor, _ order: SpatialOrder) -> Int? {
    let (outputs, inputs) = (kernel.shape[0], kernel.shape[1])
    let (source, target) = order.extents
    guard source[0] == 1, source[1] == inputs, inputs % 16 == 0, outputs % 16 == 0,
      source.count <= 5, target.dropFirst(2).reduce(1, *) > 1
    else { return nil }
    var parts = 1
    while kernel.count * 4 > cacheSize * parts, inputs % (parts * 32) == 0 { parts *= 2 }
    return parts == 1 ? nil : inputs / parts
  }

  /// What is done to the first part's result and to the last's; `nil` when a function comes before the
  /// sum with another tensor, and so would be applied to a part.
  private static func postOperations(
    _ group: NodeGroup
  ) -> (first: [PostOperation], last: [PostOperation])? {
    let operations = group.postOperations
    guard group.summand != nil else { return ([], [.sum] + operations) }
    guard case .sum = operations.first else { return nil }
    return ([.sum], operations)
  }

  /// Adds the steps.
  func add(
    to builder: inout PlanBuilder, _ group: NodeGroup, _ kernel: Tensor, _ folded: FoldedWeights
  ) -> Bool {
    let count = kernel.shape[1] / channels
    guard
      let weights = builder.weight(
        kernel, group.inputs[1], as: weights, scales: folded.scales, partCount: count),
      let input = builder.tensor(group.inputs[0], as: source),
      let output = builder.makeTarget(group, target)
    else { return false }
    for number in 0..<count {
      var storages = [
        (onednn_role_source, input.storage.part(number, of: input.byteCount / count)),
        (onednn_role_weights, weights.part(number, of: self.weights.byteCount)),
        (onednn_role_target, output.storage),
      ]
      if number == 0, let bias = folded.bias {
        storages.append((onednn_role_bias, builder.addConstant(bias)))
      }
      builder.add(number == 0 ? first : number == count - 1 ? last : middle, storages)
    }
    return true
  }
}
