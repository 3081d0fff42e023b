package import Bytes
import CPURuntime
package import GraphIR

extension Compactor {
  /// Quantizes the weights and activations of layers to 8-bit integers or bfloat16. Each layer's
  /// integer range is chosen by the measured error of the outputs. The layers that cause the
  /// largest errors stay in float32 until the error on the evaluation examples is within the
  /// budget.
  ///
  /// - Parameter error: The bound of the relative error (L2) of each output, as
  ///   ``CompactionBudget/error(_:)``.
  /// - Throws: As ``compact(calibration:evaluation:budget:)``; ``WeighbridgeError/Code/mismatch``
  ///   when no layer can be quantized.
  package func compactActivations(
    as type: ActivationType, calibration: [[Tensor]], evaluation: [[Tensor]], error: Double
  ) throws(WeighbridgeError) -> Compaction {
    try CompactionBudget.error(error).check()
    try check(calibration, "calibration")
    try check(evaluation, "evaluation")
    let options = CPURuntime.Options(workers: workers, cancellation: cancellation)
    let sites = QuantizationSite.all(in: graph)
    let used = sites.reduce(into: Set()) { $0.formUnion($1.weights) }
    let parts = splitCalibration(calibration, weights: 4 * sites.count)
    let meter = try self.meter(parts.heldOut, options)
    let weights = try rounded(
      CompactableWeight.all(in: graph).filter { used.contains($0.id) }, type, parts.learned, meter,
      options)
    let choices =
      switch type {
      case .int8: try integerChoices(sites, weights, calibration, parts, meter, options)
      case .bfloat16: try bfloat16Choices(sites, weights, meter)
      }
    guard !choices.withoutSums.isEmpty else {
      throw .mismatch(
        "the model has no convolution and no dense layer with float32 weights that are "
          + "constant and finite, so that nothing can be computed with \(type.phrase)")
    }
    let evaluator = try self.meter(evaluation, kinds: evaluationKinds, options)
    return try search(type, choices, weights, evaluator, error)
  }

  /// The rounded weights: integers rounded with or without error feedback, whichever has the
  /// smaller error. (Small weights are stored as they are; the engine rounds them.)
  private func rounded(
    _ weights: [CompactableWeight], _ type: ActivationType, _ examples: [[Tensor]],
    _ meter: ErrorMeter, _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> [Compaction.Weight] {
    guard let feedback = try fixedMoments(type.weightEncoding, weights, examples, options) else {
      return try stored(weights, as: type.weightEncoding, moments: nil)
    }
    var best: (error: Double, weights: [Compaction.Weight])?
    for moments in [feedback, nil] {
      var stored = try stored(weights, as: type.weightEncoding, moments: moments)
      for index in stored.indices { try stored[index].encode() }
      let error = try meter.errors(stored.tensors).worst
      if error < best?.error ?? .infinity { best = (error, stored) }
    }
    return best?.weights ?? []
  }

  /// bfloat16 for each site, with the output error that it causes on its own.
  private func bfloat16Choices(
    _ sites: [QuantizationSite], _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> [ActivationChoice] {
    var choices: [ActivationChoice] = []
    for (number, site) in sites.enumerated() {
      choices.append(
        try measured(ActivationChoice(site: site, elements: .bfloat16), weights, meter))
      report("measuring layers", number + 1, sites.count)
    }
    return choices
  }

  /// A choice with the output error that it causes on its own.
  private func measured(
    _ choice: ActivationChoice, _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> ActivationChoice {
    try checkCancellation()
    var choice = choice
    // A value that only sums read changes nothing on its own.
    choice.error =
      choice.site.nodes.isEmpty
      ? 0
      : try meter.errors(weights.used(by: [choice]).tensors, choice.quantizations).rootMeanSquare
    return choice
  }

  /// An integer quantization for each site.
  private func integerChoices(
    _ sites: [QuantizationSite], _ weights: [Compaction.Weight], _ calibration: [[Tensor]],
    _ parts: (learned: [[Tensor]], heldOut: [[Tensor]]), _ meter: ErrorMeter,
    _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> [ActivationChoice] {
    var observer = ActivationObserver(sites)
    try observer.observe(parts.learned, in: graph, options) {
      report("measuring ranges", $0, calibration.count)
    }
    let measured = try measured(observer, weights, meter)
    // Methods are compared on examples held out from their ranges, which are then refined with
    // these.
    if parts.learned.count < calibration.count {
      try observer.observe(parts.heldOut, in: graph, options) {
        report("measuring ranges", parts.learned.count + $0, calibration.count)
      }
    }
    let updated = measured.map { $0.compactMap { $0.withRange(from: observer) } }
    let count = min(Self.maximumExampleCount, calibration.count)
    let examples = (0..<count).map { calibration[$0 * calibration.count / count] }
    return try jointChoices(
      updated.filter { !$0.isEmpty }, weights, self.meter(examples, options))
  }

  /// The maximum number of examples measured to choose the ranges of all layers.
  private static let maximumExampleCount = 64

  /// The quantizations of each site, each with the output error that it causes on its own.
  private func measured(
    _ observer: ActivationObserver, _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> [[ActivationChoice]] {
    var all: [[ActivationChoice]] = []
    for (number, (site, histogram)) in zip(observer.sites, observer.histograms).enumerated() {
      var found: [ActivationChoice] = []
      for quantization in histogram.quantizations {
        let choice = ActivationChoice(site: site, elements: .integers(quantization))
        found.append(try measured(choice, weights, meter))
      }
      if !found.isEmpty { all.append(found) }
      report("measuring layers", number + 1, observer.sites.count)
    }
    return all
  }

  /// The choices with the smallest error when all sites are quantized: either one method
  /// everywhere, because clipping errors accumulate over layers while rounding errors mostly do
  /// not, or the best choice of each site.
  ///
  /// The worst example decides, since only some examples have values that are clipped. These
  /// examples also helped to choose the ranges, and others lose more by a narrow range, so a
  /// narrower one must be better by a margin.
  private func jointChoices(
    _ options: [[ActivationChoice]], _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> [ActivationChoice] {
    var sets = IntegerQuantization.Method.allCases.map { method in
      options.compactMap { choices in
        choices.first { $0.method == method } ?? choices.first
      }
    }
    sets.append(options.compactMap { choices in choices.min { $0.error < $1.error } })
    var best = (error: Double.infinity, choices: sets[0])
    for set in sets {
      try checkCancellation()
      let error = try meter.errors(weights.used(by: set).tensors, set.quantizations).worst
      if error < Self.improvementFactor * best.error { best = (error, set) }
    }
    return best.choices
  }

  /// The fraction of the error of a wider range that a narrower one must not exceed.
  private static let improvementFactor = 0.9

  /// Drops the quantized sums if necessary, and then as few sites as the budget requires, those
  /// with the largest errors first.
  private func search(
    _ type: ActivationType, _ choices: [ActivationChoice], _ weights: [Compaction.Weight],
    _ meter: ErrorMeter,
    _ budget: Double
  ) throws(WeighbridgeError) -> Compaction {
    let allQuantized = try compaction(choices, weights, meter)
    if allQuantized.bound <= budget { return allQuantized }
    let sorted = choices.withoutSums.enumerated().sorted {
      ($1.element.error, $0.offset) < ($0.element.error, $1.offset)
    }.map(\.element)
    func trial(leavingOut count: Int) throws(WeighbridgeError) -> Compaction {
      try compaction(Array(sorted[count...]), weights, meter)
    }
    var best = try trial(leavingOut: 0)
    var (low, high) = (0, sorted.count - 1)
    if best.bound > budget, high > 0 { best = try trial(leavingOut: high) }
    guard best.bound <= budget else {
      throw .limitExceeded(
        "an error of \(budget) cannot be met with \(type.phrase): with only one layer computed so "
          + "(\(sorted[high].site.nodes.joined(separator: ", "))), it is \(best.bound)"
      )
    }
    if best.quantizations.count == sorted.quantizations.count { return best }
    // Leaving out `low` sites is not enough, and `high` is.
    while high - low > 1 {
      let middle = (low + high) / 2
      let candidate = try trial(leavingOut: middle)
      if candidate.bound <= budget { (best, high) = (candidate, middle) } else { low = middle }
      report("choosing layers", sorted.count - (high - low), sorted.count)
    }
    return best
  }

  /// The compaction that results from some choices.
  private func compaction(
    _ choices: [ActivationChoice], _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> Compaction {
    let selected = weights.used(by: choices)
    let outputs = try meter.outputs(selected.tensors, choices.quantizations)
    return Compaction(
      selected, of: graph, errors: meter.errors(outputs),
      answers: try meter.count(answers, outputs), quantizations: choices.quantizations)
  }
}

/// A site with the quantization of its elements, and the output error when nothing else is
/// quantized.
private struct ActivationChoice {
  var site: QuantizationSite
  var elements: InputQuantization.Elements
  var error = Double.infinity

  /// How the range of integers was chosen.
  var method: IntegerQuantization.Method? {
    if case .integers(let integers) = elements { integers.method } else { nil }
  }

  /// The same choice with its method's range for all observed values; `nil` if there is none.
  func withRange(from observer: ActivationObserver) -> ActivationChoice? {
    guard let method, let quantization = observer.histogram(site).quantization(method) else {
      return nil
    }
    var choice = self
    choice.elements = .integers(quantization)
    return choice
  }

  /// By layer; sums are included only when all choices are combined.
  var quantizations: [String: InputQuantization] {
    Dictionary(
      site.nodes.map { ($0, InputQuantization(elements)) }, uniquingKeysWith: { first, _ in first })
  }
}

extension [ActivationChoice] {
  /// By layer, and by sum computed together with one of these layers.
  fileprivate var quantizations: [String: InputQuantization] {
    let layers = reduce(into: [:]) { all, choice in
      all.merge(choice.quantizations) { first, _ in first }
    }
    return reduce(into: layers) { all, choice in
      for sum in choice.site.sums where layers[sum.layer] != nil {
        all[sum.node] = InputQuantization(choice.elements, input: sum.input)
      }
    }
  }

  /// The same choices without their sums.
  fileprivate var withoutSums: [ActivationChoice] {
    compactMap { choice in
      var choice = choice
      choice.site.sums = []
      return choice.site.nodes.isEmpty ? nil : choice
    }
  }
}

extension [Compaction.Weight] {
  /// The decoded tensors by the weights' IDs.
  fileprivate var tensors: [ValueID: Tensor] {
    Dictionary(map { ($0.id, $0.tensor) }, uniquingKeysWith: { $1 })
  }

  /// The weights of the chosen sites.
  fileprivate func used(by choices: [ActivationChoice]) -> [Compaction.Weight] {
    filter { weight in choices.contains { $0.site.weights.contains(weight.id) } }
  }
}

extension Compaction {
  fileprivate var bound: Double { errors?.bound ?? .infinity }
}

extension OutputErrors {
  fileprivate var rootMeanSquare: Double {
    let all = relative.flatMap { $0 }
    return (all.reduce(0) { $0 + $1 * $1 } / Double(Swift.max(1, all.count))).squareRoot()
  }
}

extension Compaction.Weight {
  /// Replaces the tensor by one backed by the stored integers, so that the engine can use them
  /// directly.
  fileprivate mutating func encode() throws(WeighbridgeError) {
    guard case .linear(let matrix) = form else { return }
    let integers = Tensor(
      .int8, shape: tensor.shape, bytes: matrix.integers.map { UInt8(bitPattern: $0) })
    let axis = matrix.blockShape.firstIndex(of: 1)
    let parameters = QuantizedWeight.LinearParameters(scales: matrix.scales, axis: axis)
    let weight = QuantizedWeight(integers, bits: matrix.bits, .linear(parameters))
    guard let elements = weight.encoded else { return }
    tensor = try Tensor(elements)
  }
}
