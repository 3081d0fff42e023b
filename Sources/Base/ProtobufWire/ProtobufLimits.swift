/// Bounds on a serialized message, checked before anything is allocated for it.
///
/// Without them a few megabytes of empty submessages become a gigabyte in memory, and some thousand
/// nested ones overflow the stack.
package struct ProtobufLimits: Sendable {
  /// How deep messages may nest; the outermost is level 1.
  package var depth = 64
  /// How many fields there may be in all messages together.
  package var fieldCount = 8_000_000
  /// How many numbers there may be in all packed lists together.
  package var packedNumberCount = Int.max
  /// How many messages there may be in all.
  package var messageCount = 2_000_000
  /// How much memory the unpacked messages may take, in bytes.
  package var memory = 256 << 20

  /// The default limits.
  package init() {}
}
