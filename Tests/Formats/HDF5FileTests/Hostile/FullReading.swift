import Bytes
import HDF5File

/// Reads as much of a file as possible, continuing after errors.
enum FullReading {
  /// Returns the errors that occurred.
  static func errors(_ bytes: [UInt8], limits: HDF5File.Limits) -> [WeighbridgeError] {
    var errors: [WeighbridgeError] = []
    func note<Result>(_ body: () throws(WeighbridgeError) -> Result) -> Result? {
      do { return try body() } catch {
        errors.append(error)
        return nil
      }
    }
    let opened = note { () throws(WeighbridgeError) in
      try HDF5File(ByteStore(bytes), path: "changed.h5", limits: limits)
    }
    guard let file = opened else { return errors }
    let members =
      note { () throws(WeighbridgeError) in try file.members(below: "/") } ?? []
    for path in ["/"] + members.map(\.path) {
      let names =
        note { () throws(WeighbridgeError) in try file.attributeNames(of: path) } ?? []
      for name in names {
        _ = note { () throws(WeighbridgeError) in try file.attribute(name, of: path) }
      }
    }
    for member in members where member.kind == .dataset || member.kind == .softLink {
      _ = note { () throws(WeighbridgeError) in
        try file.contents(of: file.dataset(at: member.path))
      }
    }
    return errors
  }
}
