import Bytes

/// Limits the reading of a structure whose blocks may form a cycle or overlap: no block may be read
/// twice, and together they cannot be larger than the file.
struct ReadingBudget {
  private let what: String
  private let baseAddress: Int
  private var remainingByteCount: Int
  /// The address of the first block; most structures have only one.
  private var firstAddress: Int?
  private var otherAddresses: Set<Int> = []

  /// - Parameter what: The structure, for messages.
  init(_ what: String, in file: FileBytes) {
    self.what = what
    baseAddress = file.baseAddress
    remainingByteCount = file.count
  }

  /// Counts a block that is about to be read, even if its address is invalid.
  mutating func spend(_ byteCount: Int, at address: Int) throws(WeighbridgeError) {
    let (fileOffset, overflow) = baseAddress.addingReportingOverflow(address)
    guard isNew(address) else {
      throw .malformed("\(what) refers to one block twice").at(.byte(overflow ? .max : fileOffset))
    }
    remainingByteCount -= byteCount
    guard remainingByteCount >= 0 else {
      throw .malformed("\(what) has blocks that overlap: together they are larger than the file")
        .at(.byte(overflow ? .max : fileOffset))
    }
  }

  private mutating func isNew(_ address: Int) -> Bool {
    guard let firstAddress else {
      firstAddress = address
      return true
    }
    return address != firstAddress && otherAddresses.insert(address).inserted
  }
}
