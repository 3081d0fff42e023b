/// Bounds on a serialized message, checked before anything is allocated for it.
///
/// Without them a few megabytes of empty submessages become a gigabyte in memory, and a few
/// thousand nested ones overflow the stack.
package struct ProtobufLimits: Sendable {
  /// The deepest nesting of messages; the outermost is level 1.
  package var depth = 64
  /// The largest number of fields in all messages together.
  package var fieldCount = 8_000_000
  /// The largest number of elements in all packed lists together.
  package var packedNumberCount = Int.max
  /// The largest number of messages.
  package var messageCount = 2_000_000
  /// The most memory that the unpacked messages may take, in bytes.
  package var memory = 256 << 20

  /// The default limits.
  package init() {}
}
