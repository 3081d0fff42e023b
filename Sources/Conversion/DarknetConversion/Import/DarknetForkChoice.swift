import Bytes
import DarknetFormat

/// The fork of darknet as which a `.cfg` is read.
struct DarknetForkChoice {
  let fork: DarknetFork
  /// Whether the user or the file determined it; otherwise it is the default.
  let isKnown: Bool
  let decision: String

  /// Chooses the given fork, else the only one that knows a section or a key, else AlexeyAB's,
  /// which reads more.
  init(_ configuration: DarknetConfiguration, given: DarknetFork?) {
    if let given {
      (fork, isKnown) = (given, true)
      decision = "read as \(given.title) means it, as \(APIName.darknetFork) says"
      return
    }
    let evidence = Self.evidence(configuration)
    let wins = evidence[.alexeyab] == nil && evidence[.pjreddie] != nil
    fork = wins ? .pjreddie : .alexeyab
    isKnown = evidence[fork] != nil
    if let sign = evidence[fork] {
      let against = evidence[fork.other].map { " (but \($0) is of the other one)" } ?? ""
      decision = "read as \(fork.title) means it, which alone knows \(sign)\(against)"
    } else {
      decision =
        "nothing tells AlexeyAB's darknet and pjreddie's apart: read as \(fork.title) means it "
        + "(\(APIName.darknetFork) \(fork.other.rawValue) for the other)"
    }
  }

  /// The first section or key that only this fork knows, by fork.
  private static func evidence(_ configuration: DarknetConfiguration) -> [DarknetFork: String] {
    var evidence: [DarknetFork: String] = [:]
    if let net = configuration.sections.first,
      !net.options.contains(where: { ["width", "height"].contains($0.key) })
    {
      // AlexeyAB's darknet divides by 0 when no layer has an image.
      evidence[.pjreddie] = "networks without images"
    }
    for section in configuration.sections {
      let name = DarknetSections.name(section.name)
      if let owner = DarknetKeys.sectionOwners[name], evidence[owner] == nil {
        evidence[owner] = "[\(section.name)] in line \(section.line)"
      }
      for option in section.options {
        if let owner = DarknetKeys.owner(of: option.key, in: name), evidence[owner] == nil {
          evidence[owner] = "\(option.key) of [\(section.name)] in line \(option.line)"
        }
      }
    }
    return evidence
  }
}
