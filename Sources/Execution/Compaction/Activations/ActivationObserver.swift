import Bytes
import CPURuntime
import GraphIR

/// Collects histograms of the values at some sites while examples run.
struct ActivationObserver: Sendable {
  let sites: [QuantizationSite]
  /// In the order of the sites.
  private(set) var histograms: [ActivationHistogram]
  private let positions: [ValueID: Int]

  init(_ sites: [QuantizationSite]) {
    self.sites = sites
    histograms = sites.map { _ in ActivationHistogram() }
    positions = Dictionary(
      sites.enumerated().map { ($1.value, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func histogram(_ site: QuantizationSite) -> ActivationHistogram {
    positions[site.value].map { histograms[$0] } ?? ActivationHistogram()
  }

  /// Runs examples and adds the values to the histograms.
  mutating func observe(
    _ examples: [[Tensor]], in graph: Graph, _ options: CPURuntime.Options, report: (Int) -> Void
  ) throws(WeighbridgeError) {
    var options = options
    options.observesAllNodes = true
    let compiled = try CompiledGraph(graph, options)
    for (number, inputs) in examples.enumerated() {
      for (port, tensor) in zip(graph.inputs, inputs) { add(port.value, tensor) }
      _ = try compiled.run(inputs) { result in
        for (position, id) in result.node.outputs.enumerated() {
          add(id, result.outputs[position])
        }
      }
      report(number + 1)
    }
  }

  private mutating func add(_ id: ValueID, _ tensor: @autoclosure () -> Tensor) {
    if let position = positions[id] { histograms[position].add(tensor().floats) }
  }
}
