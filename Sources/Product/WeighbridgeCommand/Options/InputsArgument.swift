import ArgumentParser
import Weighbridge

/// A file of arrays, or values to generate: `random:SEED`, `ones`. A file with such a name is
/// `./ones`.
enum InputsArgument: ExpressibleByArgument {
  case file(String)
  case generated(GeneratedNumbers)

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch parts[0] {
    case "ones" where parts.count == 1: self = .generated(.ones)
    case "random" where !argument.hasSuffix(".npy") && !argument.hasSuffix(".npz"):
      guard parts.count == 2, let seed = UInt64(parts[1]) else { return nil }
      self = .generated(.random(seed: seed))
    default:
      guard !argument.isEmpty else { return nil }
      self = .file(argument)
    }
  }

  /// Returns the arrays for a model.
  func arrays(for model: Model) throws(WeighbridgeError) -> [NamedTensor] {
    switch self {
    case .file(let path): try ArrayFile.read(path)
    case .generated(let numbers): try model.generatedInputs(numbers)
    }
  }
}
