package import Bytes
import CPURuntime
package import GraphIR

extension Compactor {
  /// Lets layers be computed with 8-bit integers or bfloat16, their weights and their data. The measured
  /// error of the outputs decides how the range of each layer's integers is chosen. The layers with the
  /// largest error of their own are left in float32 until the error on the evaluation examples is within
  /// the budget.
  ///
  /// - Parameter error: The largest relative error (L2) of each output on the evaluation examples.
  /// - Throws: As ``compact(calibration:evaluation:budget:)``; ``WeighbridgeError/Code/mismatch`` when no
  ///   layer can be computed so.
  package func compactActivations(
    as type: ActivationType, calibration: [[Tensor]], evaluation: [[Tensor]], error: Double
  ) throws(WeighbridgeError) -> Compaction {
    try CompactionBudget.error(error).check()
    try check(calibration, "calibration")
    try check(evaluation, "evaluation")
    let options = CPURuntime.Options(workers: workers, cancellation: cancellation)
    let sites = QuantizationSite.all(in: graph)
    let used = sites.reduce(into: Set()) { $0.formUnion($1.weights) }
    let parts = parted(calibration, weights: 4 * sites.count)
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
        "the model has no convolution without groups and no dense layer with float32 weights that are "
          + "constant and finite, so that nothing can be computed with \(type.words)")
    }
    return try search(type, choices, weights, self.meter(evaluation, options), error)
  }

  /// The rounded weights: integers with rounding errors that make up for each other, or without,
  /// whichever costs less. (Those of few numbers are stored as they are; the engine rounds them.)
  private func rounded(
    _ weights: [CompactableWeight], _ type: ActivationType, _ examples: [[Tensor]],
    _ meter: ErrorMeter, _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> [Compaction.Weight] {
    guard let feedback = try fixedMoments(type.weights, weights, examples, options) else {
      return try stored(weights, as: type.weights, moments: nil)
    }
    var best: (error: Double, weights: [Compaction.Weight])?
    for moments in [feedback, nil] {
      var stored = try stored(weights, as: type.weights, moments: moments)
      for index in stored.indices { try stored[index].encode() }
      let error = try meter.errors(stored.tensors).worst
      if error < best?.error ?? .infinity { best = (error, stored) }
    }
    return best?.weights ?? []
  }

  /// bfloat16 for each site, with the error of the outputs that it makes by itself.
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

  /// A choice with the error of the outputs that it makes by itself.
  private func measured(
    _ choice: ActivationChoice, _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> ActivationChoice {
    try checkCancellation()
    var choice = choice
    // A value that sums alone read changes nothing by itself.
    choice.error =
      choice.site.nodes.isEmpty
      ? 0
      : try meter.errors(weights.of([choice]).tensors, choice.quantizations).rootMeanSquare
    return choice
  }

  /// For each site a quantization to integers.
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
    // Methods compete on examples that their ranges do not know; afterwards those count too.
    if parts.learned.count < calibration.count {
      try observer.observe(parts.heldOut, in: graph, options) {
        report("measuring ranges", parts.learned.count + $0, calibration.count)
      }
    }
    let known = measured.map { $0.compactMap { $0.withRange(from: observer) } }
    let count = min(Self.mostExamples, calibration.count)
    let examples = (0..<count).map { calibration[$0 * calibration.count / count] }
    return try together(
      known.filter { !$0.isEmpty }, weights, self.meter(examples, options))
  }

  /// How many examples at most are measured to choose ranges for all layers.
  private static let mostExamples = 64

  /// For each site its quantizations, with the error of the outputs that one makes by itself.
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

  /// The choices that cost the least when all are made: those of one method, because what is cut off adds
  /// up from layer to layer, and what is rounded mostly does not; or the best of each site.
  ///
  /// The worst example counts, since only some have elements to cut off. These examples helped to choose the
  /// ranges, and others will lose more by a narrow one, so it has to be better by some margin.
  private func together(
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
      let error = try meter.errors(weights.of(set).tensors, set.quantizations).worst
      if error < Self.margin * best.error { best = (error, set) }
    }
    return best.choices
  }

  /// What a narrower range must reach of the error of a wider one.
  private static let margin = 0.9

  /// Gives up the sums, and then leaves out as few sites as the budget allows, those with the largest error
  /// first.
  private func search(
    _ type: ActivationType, _ choices: [ActivationChoice], _ weights: [Compaction.Weight],
    _ meter: ErrorMeter,
    _ budget: Double
  ) throws(WeighbridgeError) -> Compaction {
    let whole = try compaction(choices, weights, meter)
    if whole.worst <= budget { return whole }
    let sorted = choices.withoutSums.enumerated().sorted {
      ($1.element.error, $0.offset) < ($0.element.error, $1.offset)
    }.map(\.element)
    func trial(leavingOut count: Int) throws(WeighbridgeError) -> Compaction {
      try compaction(Array(sorted[count...]), weights, meter)
    }
    var best = try trial(leavingOut: 0)
    var (low, high) = (0, sorted.count - 1)
    if best.worst > budget, high > 0 { best = try trial(leavingOut: high) }
    guard best.worst <= budget else {
      throw .limitExceeded(
        "an error of \(budget) cannot be met with \(type.words); \(best.worst) can, with one layer "
          + "(\(sorted[high].site.nodes.joined(separator: ", "))) computed so, and 0 with none"
      )
    }
    if best.quantizations.count == sorted.quantizations.count { return best }
    // Leaving out `low` is too few, `high` enough.
    while high - low > 1 {
      let middle = (low + high) / 2
      let tried = try trial(leavingOut: middle)
      if tried.worst <= budget { (best, high) = (tried, middle) } else { low = middle }
      report("choosing layers", sorted.count - (high - low), sorted.count)
    }
    return best
  }

  /// What choices make of the model.
  private func compaction(
    _ choices: [ActivationChoice], _ weights: [Compaction.Weight], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> Compaction {
    let own = weights.of(choices)
    let outputs = try meter.outputs(own.tensors, choices.quantizations)
    let original = graph.weights.reduce(0) { $0 + $1.tensor.byteCount }
    return Compaction(
      weights: own, errors: meter.errors(outputs),
      answers: try answers?.count(outputs, meter.wanted), originalSize: original,
      estimatedSize: original + own.sizeDifference, quantizations: choices.quantizations)
  }
}

/// A site with what its elements become, and the error of the outputs when nothing else is quantized.
private struct ActivationChoice {
  var site: QuantizationSite
  var elements: InputQuantization.Elements
  var error = Double.infinity

  /// How the range of integers was chosen.
  var method: IntegerQuantization.Method? {
    if case .integers(let integers) = elements { integers.method } else { nil }
  }

  /// The same choice, with the range that its method now gives; `nil` when there is none.
  func withRange(from observer: ActivationObserver) -> ActivationChoice? {
    guard let method, let quantization = observer.histogram(site).quantization(method) else {
      return nil
    }
    var choice = self
    choice.elements = .integers(quantization)
    return choice
  }

  /// Of layers; their sums take part only where all choices are made.
  var quantizations: [String: InputQuantization] {
    Dictionary(
      site.nodes.map { ($0, InputQuantization(elements)) }, uniquingKeysWith: { first, _ in first })
  }
}

extension [ActivationChoice] {
  /// Of layers, and of the sums that are computed with one of them.
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

  /// The same without sums.
  fileprivate var withoutSums: [ActivationChoice] {
    compactMap { choice in
      var choice = choice
      choice.site.sums = []
      return choice.site.nodes.isEmpty ? nil : choice
    }
  }
}

extension [Compaction.Weight] {
  /// The numbers by the weights' places in the graph.
  fileprivate var tensors: [ValueID: Tensor] {
    Dictionary(map { ($0.id, $0.tensor) }, uniquingKeysWith: { $1 })
  }

  /// The weights of sites.
  fileprivate func of(_ choices: [ActivationChoice]) -> [Compaction.Weight] {
    filter { weight in choices.contains { $0.site.weights.contains(weight.id) } }
  }
}

extension Compaction {
  fileprivate var worst: Double { errors?.worst ?? .infinity }
}

extension OutputErrors {
  fileprivate var rootMeanSquare: Double {
    let all = relative.flatMap { $0 }
    return (all.reduce(0) { $0 + $1 * $1 } / Double(Swift.max(1, all.count))).squareRoot()
  }
}

extension Compaction.Weight {
  /// Creates the numbers those of the integers that are stored, by which the engine knows them again.
  fileprivate mutating func encode() throws(WeighbridgeError) {
    guard case .linear(let matrix) = form else { return }
    let integers = Tensor(
      .int8, shape: tensor.shape, bytes: matrix.integers.map { UInt8(bitPattern: $0) })
    let axis = matrix.blockShape.firstIndex(of: 1)
    let line = QuantizedWeight.LinearParameters(scales: matrix.scales, axis: axis)
    guard let elements = QuantizedWeight(integers, bits: matrix.bits, .linear(line)).encoded else {
      return
    }
    tensor = try Tensor(elements)
  }
}
