import Foundation
package import Weighbridge

extension Engine {
  /// Both engines; only the fast one if `WEIGHBRIDGE_MAX_ISA` selects an instruction set, which the
  /// reference engine computes without.
  package static let ofInstructionSet: [Engine] =
    ProcessInfo.processInfo.environment["WEIGHBRIDGE_MAX_ISA"] == nil ? allCases : [.cpu]
}
