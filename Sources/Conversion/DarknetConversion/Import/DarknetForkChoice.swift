import Bytes
import DarknetFormat

/// The choice of the darknet fork as which a `.cfg` is read.
struct DarknetForkChoice {
  let fork: DarknetFork
  /// Whether the user or the file determined it; otherwise it is the default.
  let isKnown: Bool
  /// The reason for the choice.
  let decision: String

  /// Chooses the given fork, else the only one that knows a section or a key of the file, else
  /// AlexeyAB's, which supports more.
  init(_ configuration: DarknetConfiguration, given: DarknetFork?) {
    if let given {
      (fork, isKnown) = (given, true)
      decision = "read as \(given.title) means it, as \(APIName.darknet) says"
      return
    }
    let evidence = Self.evidence(configuration)
    let isPjreddie = evidence[.alexeyab] == nil && evidence[.pjreddie] != nil
    fork = isPjreddie ? .pjreddie : .alexeyab
    isKnown = evidence[fork] != nil
    if let support = evidence[fork] {
      let counterevidence = evidence[fork.other].map { " (but \($0) is of the other one)" } ?? ""
      decision = "read as \(fork.title) means it, which alone knows \(support)\(counterevidence)"
    } else {
      decision =
        "nothing tells AlexeyAB's darknet and pjreddie's apart: read as \(fork.title) means it "
        + "(\(APIName.darknet) \(fork.other.rawValue) for the other)"
    }
  }

  /// The first section or key that only one fork knows, for each fork.
  static func evidence(_ configuration: DarknetConfiguration) -> [DarknetFork: String] {
    var evidence: [DarknetFork: String] = [:]
    if let net = configuration.sections.first,
      !net.options.contains(where: { ["width", "height"].contains($0.key) })
    {
      // AlexeyAB's darknet divides by 0 when no layer has an image.
      evidence[.pjreddie] = "networks without images"
    }
    for section in configuration.sections.map(DarknetOtherForks.explained) {
      let name = DarknetSections.name(section.name)
      if let fork = DarknetKeys.exclusiveSections[name], evidence[fork] == nil {
        evidence[fork] = "[\(section.name)] in line \(section.line)"
      }
      for option in section.options {
        if let fork = DarknetKeys.onlyFork(knowing: option.key, in: name), evidence[fork] == nil {
          evidence[fork] = "\(option.key) of [\(section.name)] in line \(option.line)"
        }
      }
    }
    return evidence
  }
}
