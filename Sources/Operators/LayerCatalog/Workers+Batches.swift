import GraphIR

extension Workers {
  /// The results of `body` for `0..<count`, in order, for computations so short that each thread does
  /// many in a row.
  func mapInBatches<Result: Sendable>(
    _ count: Int, _ body: @Sendable (Int) -> Result
  ) -> [Result] {
    let size = max(1, count / (32 * self.count))
    let batches = map((count + size - 1) / size) { batch in
      (batch * size..<min((batch + 1) * size, count)).map(body)
    }
    return batches.flatMap { $0 }
  }
}
