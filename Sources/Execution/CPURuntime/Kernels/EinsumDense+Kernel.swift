import CKernels
import GraphIR
import LayerCatalog

extension EinsumDense: FusingOperator, EngineOperator {
  /// None: the kernel may add several output axes.
  func channelAxis(rank: Int) -> Int { -1 }

  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard let kernel = builder.graph[group.inputs[1]].constant,
      let rows = EinsumRows(self, kernel.shape, bias.letters),
      let folded = FoldedWeights(
        group, bias: bias.letters.isEmpty ? nil : group.inputs[2], channels: rows.outCount,
        builder.graph)
    else { return false }
    let count = builder.shape(of: group.inputs[0]).dropLast(rows.contractedCount).reduce(1, *)
    let call = unsafe WeightedCall(
      group, builder, source: .rowMajor([count, rows.inCount]),
      target: .rowMajor([count, rows.outCount]),
      restore: { $0.reshaped($1) },
      weights: kernel.reshaped([rows.outCount, rows.inCount]), folded: folded
    ) { source, weights, bias, target, post in
      unsafe kernels_dense(source.handle, weights.handle, bias?.handle, target.handle, post)
    }
    return call?.add(to: &builder, group) ?? false
  }
}

/// An einsum that is a fully connected layer: the contracted axes are the input's last axes, and
/// those that the kernel adds are the output's last axes.
private struct EinsumRows {
  /// The number of contracted axes of the input.
  let contractedCount: Int
  /// The product of their sizes.
  let inCount: Int
  /// The product of the sizes of the axes that the kernel adds.
  let outCount: Int

  /// - Returns: `nil` for other einsums, or if the bias has axes other than the added ones.
  init?(_ sum: EinsumDense, _ kernel: [Int], _ bias: [Character]) {
    let kernelLetters = Set(sum.kernel.letters)
    let free = sum.input.letters.prefix { !kernelLetters.contains($0) }
    let contracted = sum.input.letters.dropFirst(free.count)
    let added = sum.output.letters.dropFirst(free.count)
    // The kernel has the output's axes first, in their order, then the input's.
    guard sum.output.letters.starts(with: free), sum.kernel.letters == Array(added + contracted),
      bias.isEmpty || bias == Array(added)
    else { return nil }
    contractedCount = contracted.count
    outCount = kernel.prefix(added.count).reduce(1, *)
    inCount = kernel.dropFirst(added.count).reduce(1, *)
  }
}
