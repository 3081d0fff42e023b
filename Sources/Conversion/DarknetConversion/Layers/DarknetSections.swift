package import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// The sections of a `.cfg` that become nodes.
package enum DarknetSections {
  /// The builder of each section, by its full name.
  package static let builders = [String: DarknetLayer.Build](families: [
    DarknetConvolutions.builders, DarknetConnections.builders, DarknetPooling.builders,
    DarknetRouting.builders, DarknetReshaping.builders, DarknetNormalizations.builders,
    DarknetDetections.builders, DarknetRecurrent.builders,
  ])

  /// A section's full name for any of its names; the name itself when it has no other.
  package static func name(_ written: String) -> String {
    DarknetKeys.aliases[written] ?? (written == "gaussian_yolo" ? "" : written)
  }
}
