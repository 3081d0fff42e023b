import Bytes
import HDF5File

/// Repairs the checksums of a changed file, so that the data behind them is reached.
enum ChecksumRepair {
  /// Corrects every checksum that the reader finds wrong, and returns the remaining errors.
  ///
  /// - Parameter attempt: Reads the file and returns the errors that it encounters.
  static func repair(
    _ bytes: inout [UInt8], atMost count: Int, _ attempt: ([UInt8]) -> [WeighbridgeError]
  ) -> [WeighbridgeError] {
    for _ in 0..<count {
      let errors = attempt(bytes)
      var isRepaired = false
      for error in errors {
        guard let (offset, value) = correction(error), offset + 4 <= bytes.count else { continue }
        for index in 0..<4 {
          bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))
        }
        isRepaired = true
      }
      if !isRepaired { return errors }
    }
    return attempt(bytes)
  }

  /// Returns the position of a wrong checksum and its correct value.
  private static func correction(_ error: WeighbridgeError) -> (Int, UInt32)? {
    let words = error.reason.split(separator: " ")
    guard let give = words.firstIndex(of: "give"), give + 1 < words.count,
      words.contains("checksum"), let value = UInt32(words[give + 1], radix: 16)
    else { return nil }
    if case .byte(let offset) = error.place.position { return (offset, value) }
    guard let byte = words.firstIndex(of: "(byte"), let offset = Int(words[byte + 1]) else {
      return nil
    }
    return (offset, value)
  }
}
