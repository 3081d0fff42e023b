import Bytes

/// Bounds the reading of a structure whose blocks form a cycle or overlap: no block may be read
/// twice, and together they cannot be larger than the file.
struct ReadingBudget {
  private let what: String
  private let baseAddress: Int
  private var left: Int
  /// The first block; most structures have only one.
  private var first: Int?
  private var others: Set<Int> = []

  /// - Parameter what: The structure, for messages.
  init(_ what: String, in file: FileBytes) {
    self.what = what
    baseAddress = file.baseAddress
    left = file.count
  }

  /// Counts a block that is about to be read, even if its address is invalid.
  mutating func spend(_ byteCount: Int, at address: Int) throws(WeighbridgeError) {
    let (place, overflow) = baseAddress.addingReportingOverflow(address)
    guard isNew(address) else {
      throw .malformed("\(what) leads twice to one block").at(.byte(overflow ? .max : place))
    }
    left -= byteCount
    guard left >= 0 else {
      throw .malformed("\(what) has blocks that overlap: together they are larger than the file")
        .at(.byte(overflow ? .max : place))
    }
  }

  private mutating func isNew(_ address: Int) -> Bool {
    guard let first else {
      first = address
      return true
    }
    return address != first && others.insert(address).inserted
  }
}
