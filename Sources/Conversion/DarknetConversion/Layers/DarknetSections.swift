import Bytes
import ConversionCore

/// How a kind of section is read, as nodes, and written, from nodes.
struct DarknetSectionForm: Sendable {
  /// Recovers the settings of a section from the nodes that it became.
  typealias Describe =
    @Sendable (DarknetRecoveredLayer, inout DarknetSectionText) throws(WeighbridgeError) -> Void

  /// Builds the nodes.
  let build: DarknetLayer.Build
  /// Recovers the settings; for a section without settings it adds none.
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

  /// The full name of a section by any of its names; unknown names are returned unchanged.
  package static func name(_ written: String) -> String {
    DarknetKeys.aliases[written] ?? DarknetOtherForks.sections[written]?.name
      ?? (written == "gaussian_yolo" ? "" : written)
  }
}
