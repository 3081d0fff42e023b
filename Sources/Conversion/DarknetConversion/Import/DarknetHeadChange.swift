import ConversionCore
import DarknetFormat
import GraphIR

/// Changes to the numbers of classes, anchors or filters of a network's last layers that would make
/// it fit a weights file.
struct DarknetHeadChange {
  /// A convolution and the box layer after it.
  private struct Head {
    /// The number of parameters per filter of the convolution.
    let parametersPerFilter: Int
    let anchors: Int
    let classes: Int
    let filters: Int
    let convolution: DarknetSection
    let boxes: DarknetSection
    /// The number of an anchor's channels that are not classes.
    var entries: Int { filters / anchors - classes }
  }

  private let network: DarknetNetwork
  private let sections: [DarknetSection]
  private let heads: [Head]
  /// The number of values in the file less the number that the network takes.
  private let difference: Int

  init(_ network: DarknetNetwork, _ configuration: DarknetConfiguration) {
    self.network = network
    let sections = configuration.sections
    self.sections = sections
    difference = network.weights.available - network.weights.taken
    let boxes = network.layers.indices.filter {
      network.layers[$0].head.map { !$0.mask.isEmpty } ?? false
    }
    let heads = boxes.compactMap { Self.head($0, network, sections) }
    self.heads = heads.count == boxes.count ? heads : []
  }

  private static func head(
    _ index: Int, _ network: DarknetNetwork, _ sections: [DarknetSection]
  ) -> Head? {
    guard index > 0, let head = network.layers[index].head,
      let parameters = network.layers[index - 1].parametersPerFilter, parameters < 1 << 32,
      let filters = sections[index].option("filters").flatMap({ DarknetNumber.integer($0.value) })
    else { return nil }
    return Head(
      parametersPerFilter: parameters, anchors: head.mask.count,
      classes: head.detector.classCount, filters: filters.value,
      convolution: sections[index], boxes: sections[index + 1])
  }

  /// An explanation with the first change that would make the weights fit.
  var cause: String? {
    guard let first = heads.first else { return lastLayer }
    guard heads.allSatisfy({ $0.classes == first.classes }) else { return nil }
    let causes = [classes(first), anchors(first)].compactMap(\.self)
    return causes.isEmpty ? filters(first) : causes.joined(separator: "; or ")
  }

  private func classes(_ first: Head) -> String? {
    let step = heads.reduce(0) { $0 + $1.parametersPerFilter * $1.anchors }
    guard let found = Self.adjusted(first.classes, plus: difference, per: step) else { return nil }
    return "the weights are of a network for \(found) classes, and the cfg's is for "
      + "\(first.classes): they fit with \(change("classes", { _ in found }, \.boxes)) and "
      + change("filters", { ($0.entries + found) * $0.anchors }, \.convolution)
  }

  private func anchors(_ first: Head) -> String? {
    guard heads.allSatisfy({ $0.anchors == first.anchors }) else { return nil }
    let step = heads.reduce(0) { $0 + $1.parametersPerFilter * ($1.filters / $1.anchors) }
    guard let found = Self.adjusted(first.anchors, plus: difference, per: step), found <= 64 else {
      return nil
    }
    return
      "the weights are of a network with \(found) anchors in each layer of boxes, and the cfg's "
      + "has \(first.anchors): they fit with "
      + change("filters", { $0.filters / $0.anchors * found }, \.convolution)
      + " and \(found) anchors in \(lines(\.boxes, "mask"))"
  }

  private func filters(_ first: Head) -> String? {
    guard heads.allSatisfy({ $0.filters == first.filters && $0.entries == first.entries }) else {
      return nil
    }
    let step = heads.reduce(0) { $0 + $1.parametersPerFilter }
    guard let found = Self.adjusted(first.filters, plus: difference, per: step) else { return nil }
    let interpretations = (1...9).filter { found % $0 == 0 && found / $0 > first.entries }.map {
      "\(found / $0 - first.entries) classes with \($0 == 1 ? "1 anchor" : "\($0) anchors each")"
    }
    guard !interpretations.isEmpty else { return nil }
    return "the weights are of a network with other classes and anchors: they fit with "
      + change("filters", { _ in found }, \.convolution)
      + ", which is \(interpretations.joined(separator: " or "))"
  }

  /// The explanation for a network without boxes: another number of outputs in its last layer with
  /// weights.
  private var lastLayer: String? {
    guard network.layers.allSatisfy({ $0.head == nil }),
      let layer = network.weights.takenWeights.last?.layer
    else { return nil }
    let section = sections[layer + 1]
    let key = DarknetSections.name(section.name) == "connected" ? "output" : "filters"
    guard let option = section.option(key),
      let current = DarknetNumber.integer(option.value)?.value,
      ["convolutional", "connected"].contains(DarknetSections.name(section.name)), current > 0
    else { return nil }
    let taken = network.weights.takenByLayer
    let parameterCount = taken[layer] - (layer == 0 ? 0 : taken[layer - 1])
    let step = parameterCount / current
    guard let found = Self.adjusted(current, plus: difference, per: step) else { return nil }
    return
      "the weights are of a network whose last layer with weights gives \(found) numbers, such as "
      + "one for each class, and the cfg's gives \(current): they fit with \(key)=\(found) in line "
      + "\(option.line)"
  }

  /// The number that would account for a difference, of which each unit accounts for `step`; `nil`
  /// when there is none.
  private static func adjusted(_ current: Int, plus difference: Int, per step: Int) -> Int? {
    guard step > 0, difference % step == 0 else { return nil }
    let found = current + difference / step
    return (1...100_000).contains(found) ? found : nil
  }

  /// `key=value in lines 1, 2 and 3`.
  private func change(
    _ key: String, _ value: (Head) -> Int, _ section: (Head) -> DarknetSection
  ) -> String {
    let values = heads.map(value)
    let shown = Set(values).count == 1 ? Array(values.prefix(1)) : values
    return "\(key)=\(String.listing(shown.map(String.init))) in \(lines(section, key))"
  }

  private func lines(_ section: (Head) -> DarknetSection, _ key: String) -> String {
    let lines = heads.map { head in
      let section = section(head)
      return String(section.option(key)?.line ?? section.line)
    }
    return (lines.count == 1 ? "line " : "lines ") + String.listing(lines)
  }
}
