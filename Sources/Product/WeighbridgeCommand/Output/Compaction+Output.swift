import Weighbridge

extension Inspection.Encoding {
  /// The encoding as a line of text.
  var line: String {
    "  \(weightCount) \(name), \(parameterCount.grouped) parameters in \(byteCount.grouped) bytes "
      + "(\(bits) bits each)"
  }

  private var bits: String {
    guard parameterCount > 0 else { return "0" }
    let tenths = (80 * byteCount + parameterCount / 2) / parameterCount
    return "\(tenths / 10).\(tenths % 10)"
  }
}
