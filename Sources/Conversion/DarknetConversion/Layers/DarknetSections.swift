import Bytes
import ConversionCore

/// A section of a `.cfg` that becomes nodes, for reading and writing.
struct DarknetSectionForm: Sendable {
  /// Recovers the settings of a section from the nodes that it became.
  typealias Describe =
    @Sendable (DarknetRecoveredLayer, inout DarknetSectionText) throws(WeighbridgeError) -> Void

  /// Builds the nodes.
  let build: DarknetLayer.Build
  /// Recovers the settings; adds none for a section without settings or nodes.
  let describe: Describe

  init(build: @escaping DarknetLayer.Build, describe: @escaping Describe = { _, _ in }) {
    (self.build, self.describe) = (build, describe)
  }
}

/// The sections of a `.cfg` that become nodes.
package enum DarknetSections {
  /// Each section by its full name.
  static let all = [String: DarknetSectionForm](families: [
    DarknetConvolutions.sections, DarknetConnections.sections, DarknetPooling.sections,
    DarknetRouting.sections, DarknetReshaping.sections, DarknetNormalizations.sections,
    DarknetDetections.sections, DarknetRecurrent.sections,
  ])

  /// A section's full name for any of its names; the name itself when it has no other.
  package static func name(_ written: String) -> String {
    DarknetKeys.aliases[written] ?? (written == "gaussian_yolo" ? "" : written)
  }
}
