import ConversionCore
import DarknetFormat

/// Changes to a whole `.cfg` that would make it fit a weights file.
struct DarknetSizeExplanations {
  private let importer: DarknetImporter
  /// The number of parameters in the weights file.
  private let available: Int
  private var sections: [DarknetSection] { importer.configuration.sections }

  init(_ importer: DarknetImporter, available: Int) {
    self.importer = importer
    self.available = available
  }

  /// An explanation with the first change that would make the weights fit.
  var cause: String? { withoutNormalization ?? withNormalization ?? withChannels }

  private var withoutNormalization: String? {
    let changed = sections.filter(Self.normalizes)
    let unnormalized = sections.map {
      $0.setting("batch_normalize", to: nil).setting("cbn", to: nil)
    }
    guard !changed.isEmpty, fits(unnormalized) else { return nil }
    return "the weights are of the network without batch normalization: they fit when "
      + "batch_normalize=1 is removed from \(Self.list(changed))"
  }

  /// With batch normalization in every convolution, or in all but the output convolutions.
  private var withNormalization: String? {
    let all = sections.indices.filter { index in
      DarknetSections.name(sections[index].name) == "convolutional"
        && !Self.normalizes(sections[index])
    }
    let allButOutputs = all.filter { $0 != all.last && !isBeforeBoxes($0) }
    for choice in [allButOutputs, all] where !choice.isEmpty {
      var normalized = sections
      for index in choice { normalized[index] = sections[index].setting("batch_normalize", to: 1) }
      guard fits(normalized) else { continue }
      return "the weights are of the network with batch normalization: they fit with "
        + "batch_normalize=1 in \(Self.list(choice.map { sections[$0] }))"
    }
    return nil
  }

  /// With images of another number of channels.
  private var withChannels: String? {
    guard let net = sections.first, let option = net.option("channels") else { return nil }
    for channels in [1, 3, 4] where String(channels) != option.value {
      let changed = [net.setting("channels", to: channels)] + sections.dropFirst()
      guard fits(changed) else { continue }
      return "the weights are of a network for images of \(channels) "
        + "channel\(channels == 1 ? "" : "s"), and the cfg's is for \(option.value): they fit with "
        + "channels=\(channels) in line \(option.line)"
    }
    return nil
  }

  private func isBeforeBoxes(_ index: Int) -> Bool {
    guard index + 1 < sections.count else { return true }
    let next = DarknetSections.name(sections[index + 1].name)
    return ["yolo", "gaussian_yolo", "region"].contains(next)
  }

  private static func normalizes(_ section: DarknetSection) -> Bool {
    ["batch_normalize", "cbn"].contains { key in
      section.option(key).flatMap { DarknetNumber.integer($0.value) }.map { $0.value != 0 } ?? false
    }
  }

  private func fits(_ sections: [DarknetSection]) -> Bool {
    (try? importer.with(DarknetConfiguration(sections: sections)).parameterCount()) == available
  }

  private static func list(_ sections: [DarknetSection]) -> String {
    sections.count == 1
      ? "[\(sections[0].name)] in line \(sections[0].line)"
      : "\(sections.count) sections (lines \(String.listing(sections.map { String($0.line) })))"
  }
}
