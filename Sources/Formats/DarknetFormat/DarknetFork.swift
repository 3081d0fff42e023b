/// One of the two forks of darknet that models come from. They read the same files, but compute
/// slightly different results.
public enum DarknetFork: String, Hashable, Sendable, CaseIterable {
  /// AlexeyAB's: YOLOv4 and later.
  case alexeyab
  /// The original by Joseph Redmon.
  case pjreddie

  /// The name in messages.
  package var title: String {
    switch self {
    case .alexeyab: "AlexeyAB's darknet"
    case .pjreddie: "pjreddie's darknet"
    }
  }

  /// The other fork.
  package var other: DarknetFork { self == .alexeyab ? .pjreddie : .alexeyab }
}
