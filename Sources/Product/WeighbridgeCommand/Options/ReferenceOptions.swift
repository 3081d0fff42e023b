import ArgumentParser
import Weighbridge

/// Reference arrays from the original framework.
struct ReferenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Arrays for the model's inputs (.npy or .npz).", valueName: "file"))
  var referenceInputs: String?

  @Option(
    help: ArgumentHelp(
      """
      The original framework's outputs for them (.npy or .npz); arrays named after layers are \
      references of those layers.
      """, valueName: "file"))
  var referenceOutputs: String?

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
