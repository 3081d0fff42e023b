import Weighbridge

extension RunProfile {
  /// The profile as a table.
  var text: String {
    var table = Table(
      ["layer", "operator", "kernel", "ms", "share", "GFLOP/s"], rightAligned: [3, 4, 5])
    for line in lines {
      table.append([
        line.layer.name, line.layer.kind, "\(line.layer.kernel)",
        "\((line.milliseconds * 100).rounded() / 100)",
        "\((share(line) * 1000).rounded() / 10) %",
        line.speed.map { "\(($0 * 10).rounded() / 10)" } ?? "",
      ])
    }
    guard let memory else { return table.text }
    return """
      \(table.text)

      \(memory.byteCount.grouped) bytes of activations, of at least \(memory.lowerBound.grouped)
      """
  }
}
