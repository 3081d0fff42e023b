import ArgumentParser
import Weighbridge

extension ReferenceOptions {
  func validate() throws {
    guard (referenceInputs == nil) == (referenceOutputs == nil) else {
      throw ValidationError("--reference-inputs and --reference-outputs go together")
    }
  }

  /// Returns the arrays, if given.
  func arrays() throws(WeighbridgeError) -> (inputs: [NamedTensor], outputs: [NamedTensor])? {
    guard let referenceInputs, let referenceOutputs else { return nil }
    return (try ArrayFile.read(referenceInputs), try ArrayFile.read(referenceOutputs))
  }
}
