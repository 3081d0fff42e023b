import Bytes
import CProtobufC

/// Counts what unpacking a message will take, and enforces the limits.
struct ScanBudget {
  private let limits: ProtobufLimits
  private var fieldCount = 0
  private var messageCount = 0
  private var packedNumberCount = 0
  private var memory = 0

  init(limits: ProtobufLimits) {
    self.limits = limits
  }

  /// Counts one message, and the memory of its structure.
  mutating func message(
    of descriptor: MessageDescriptor, depth: Int
  ) throws(WeighbridgeError) {
    guard depth <= limits.depth else { throw exceeded("nests messages deeper than", limits.depth) }
    messageCount += 1
    guard messageCount <= limits.messageCount else {
      throw exceeded("has more messages than", limits.messageCount)
    }
    try allocate(descriptor.structureSize + 32)
  }

  /// Counts one field, and the memory that the library needs for it while unpacking.
  mutating func field() throws(WeighbridgeError) {
    fieldCount += 1
    guard fieldCount <= limits.fieldCount else {
      throw exceeded("has more fields than", limits.fieldCount)
    }
    try allocate(48)
  }

  /// Counts one value of a packed list.
  mutating func packedNumber() throws(WeighbridgeError) {
    packedNumberCount += 1
    guard packedNumberCount <= limits.packedNumberCount else {
      throw exceeded("has more packed numbers than", limits.packedNumberCount)
    }
    try allocate(8)
  }

  /// Counts memory; `byteCount` is at most the size of the input.
  mutating func allocate(_ byteCount: Int) throws(WeighbridgeError) {
    memory += byteCount
    guard memory <= limits.memory else {
      throw exceeded("would take more memory when unpacked than", limits.memory)
    }
  }

  private func exceeded(_ what: String, _ limit: Int) -> WeighbridgeError {
    WeighbridgeError(.limitExceeded, "\(what) the limit of \(limit)")
  }
}
