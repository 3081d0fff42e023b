import CWBM

/// The compiled schema of the header.
package enum WBMSchema {
  /// A serialized `FileDescriptorSet` of `Schemas/wbm.proto`.
  // The array is constant data of the program of exactly this size.
  package static let bytes = unsafe Array(
    UnsafeBufferPointer(start: wbm_schema(), count: wbm_schema_size()))
}
