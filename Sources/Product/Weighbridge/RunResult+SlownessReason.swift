import CPURuntime

extension RunResult {
  /// The reason why the model runs slower than with fast kernels, in one line; `nil` when none is
  /// known, and for runs of less than 10 ms.
  package var slownessReason: String? {
    slownessReason(hasPortableKernels: CPURuntime.usesPortableKernels)
  }

  /// The same on a processor for which there are portable kernels only, or others.
  func slownessReason(hasPortableKernels: Bool) -> String? {
    let total = profile.reduce(0) { $0 + $1.nanoseconds }
    guard total > 10_000_000, profile.contains(where: { $0.kernel != .reference })
    else { return nil }
    if hasPortableKernels {
      return "slow: this processor has no AVX2 (or it is disabled), so the portable kernels "
        + "are used"
    }
    let integers = profile.filter { $0.kernel == .own("int8 convolution") }
    if integers.reduce(0, { $0 + $1.nanoseconds }) * 2 >= total {
      return
        "slow: this processor has no 8-bit dot products (or they are disabled), so int8 layers "
        + "take about as long as float32 layers"
    }
    let slowLayers = profile.filter { $0.kernel == .reference }
      .sorted { $0.nanoseconds > $1.nanoseconds }
    let percentage = slowLayers.reduce(0) { $0 + $1.nanoseconds } * 100 / total
    guard percentage >= 50, let first = slowLayers.first else { return nil }
    let others = slowLayers.count == 1 ? "" : " and \(slowLayers.count - 1) more"
    return "slow: \(percentage) % of the time went to layers that have no fast kernel here: "
      + "\(first.name) (\(first.kind))\(others)"
  }
}
