import Weighbridge

extension WritingOptions {
  /// The options with what may stop the work.
  func options(_ cancellation: Cancellation) -> WriteOptions {
    var options = writeOptions
    options.cancellation = cancellation
    return options
  }
}
