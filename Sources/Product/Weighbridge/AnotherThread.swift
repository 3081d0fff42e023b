public import Bytes
import Dispatch
public import GraphIR

/// Runs work of this library on another thread, while the task waits without blocking its own.
///
/// ```swift
/// let report = try await onAnotherThread { cancellation in
///   var options = VerifyOptions()
///   options.run.cancellation = cancellation
///   return try model.verify(options)
/// }
/// ```
///
/// - Parameter work: Gets an object that is cancelled when the task is. Runs of models follow it
///   even if it is not among their options.
/// - Throws: The error of the work; ``WeighbridgeError/Code/cancelled`` when the task was cancelled.
public func onAnotherThread<Result: Sendable>(
  _ work: @escaping @Sendable (Cancellation) throws(WeighbridgeError) -> Result
) async throws(WeighbridgeError) -> Result {
  let cancellation = Cancellation()
  let result = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let result = Cancellation.$ofTask.withValue(cancellation) {
          Swift.Result { () throws(WeighbridgeError) in
            try work(cancellation)
          }
        }
        continuation.resume(returning: result)
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
  return try result.get()
}
